//===- Files.cpp - whole files --------------------------------------------===//

#include "Files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace lz::run;

static Failure fileError(const std::string &path, const char *what) {
  return Failure(path + ": cannot " + what + ": " + strerror(errno));
}

/// Reads `size` bytes, or less if the file ends.
static std::string readAll(int fd, size_t size, const std::string &path) {
  std::string content(size, '\0');
  size_t have = 0;
  while (have < size) {
    ssize_t n = read(fd, &content[have], size - have);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      throw fileError(path, "read");
    if (n == 0)
      break;
    have += size_t(n);
  }
  content.resize(have);
  return content;
}

std::string lz::run::readFile(const std::string &path) {
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    throw fileError(path, "open");
  struct Closer {
    int fd;
    ~Closer() { close(fd); }
  } closer{fd};
  struct stat status;
  if (fstat(fd, &status))
    throw fileError(path, "read");
  if (!S_ISREG(status.st_mode))
    throw Failure(path + ": not a regular file");
  return readAll(fd, size_t(status.st_size), path);
}

void lz::run::writeFile(const std::string &path, const std::string &content) {
  std::string temporary = path + ".tmp" + std::to_string(getpid());
  FILE *file = fopen(temporary.c_str(), "wbe");
  if (!file)
    throw fileError(path, "write");
  bool written =
      fwrite(content.data(), 1, content.size(), file) == content.size();
  written &= !fclose(file);
  if (written && !rename(temporary.c_str(), path.c_str()))
    return;
  Failure error = fileError(path, "write");
  unlink(temporary.c_str());
  throw error;
}

bool lz::run::endsWith(const std::string &text, const std::string &end) {
  return text.size() >= end.size() &&
         !text.compare(text.size() - end.size(), end.size(), end);
}
