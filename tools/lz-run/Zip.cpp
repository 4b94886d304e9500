//===- Zip.cpp - zip archives ---------------------------------------------===//

#include "Zip.h"
#include "Files.h"

#include <cstdint>
#include <cstring>
#include <zlib.h>

using namespace lz::run;

static constexpr uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50,
                          kEnd = 0x06054b50, kEnd64 = 0x06064b50,
                          kLocator64 = 0x07064b50;

namespace {

/// One line of the central directory.
struct Entry {
  std::string name;
  uint16_t flags, method;
  uint32_t crc;
  uint64_t packed, size, offset;
};

/// Reads an archive; throws Failure at the first thing that is wrong.
class Reader {
public:
  Reader(const std::string &archive, const std::string &path)
      : archive(archive), path(path) {}

  std::vector<ZipMember> run();

private:
  [[noreturn]] void damaged(const char *what) const {
    throw Failure(path + ": not a sound .npz file: " + what);
  }
  /// A little-endian number at `offset`.
  template <typename T> T get(uint64_t offset) const {
    if (offset > archive.size() || archive.size() - offset < sizeof(T))
      damaged("it ends too early");
    T value;
    memcpy(&value, archive.data() + offset, sizeof value);
    return value;
  }
  uint64_t findEnd() const;
  void readEnd();
  Entry readEntry(uint64_t &at) const;
  void readExtra64(Entry &entry, uint64_t at, uint64_t bytes) const;
  std::string readMember(const Entry &entry) const;
  std::string inflateMember(const Entry &entry, uint64_t start) const;

  const std::string &archive;
  const std::string &path;
  uint64_t count = 0, directory = 0;
};

} // namespace

/// The offset of the end record: the last thing but for a comment of up to 64
/// KiB.
uint64_t Reader::findEnd() const {
  if (archive.size() < 22)
    damaged("it is too short");
  uint64_t first = archive.size() - 22;
  for (uint64_t back = 0; back <= 65535 && back <= first; ++back)
    if (get<uint32_t>(first - back) == kEnd)
      return first - back;
  damaged("it has no directory");
}

void Reader::readEnd() {
  uint64_t end = findEnd();
  count = get<uint16_t>(end + 10);
  directory = get<uint32_t>(end + 16);
  if (count != 0xffff && directory != 0xffffffff)
    return;
  if (end < 20 || get<uint32_t>(end - 20) != kLocator64)
    return;
  uint64_t end64 = get<uint64_t>(end - 20 + 8);
  if (get<uint32_t>(end64) != kEnd64)
    damaged("its 64-bit directory is missing");
  count = get<uint64_t>(end64 + 32);
  directory = get<uint64_t>(end64 + 48);
}

/// Sizes that did not fit are in the extra field of kind 1, in this order.
void Reader::readExtra64(Entry &entry, uint64_t at, uint64_t bytes) const {
  for (uint64_t end = at + bytes; at + 4 <= end;) {
    uint16_t kind = get<uint16_t>(at), size = get<uint16_t>(at + 2);
    uint64_t next = at + 4;
    at = next + size;
    if (kind != 1)
      continue;
    for (uint64_t *field : {&entry.size, &entry.packed, &entry.offset}) {
      if (*field != 0xffffffff)
        continue;
      if (next + 8 > at)
        damaged("a 64-bit size is missing");
      *field = get<uint64_t>(next);
      next += 8;
    }
  }
}

Entry Reader::readEntry(uint64_t &at) const {
  if (get<uint32_t>(at) != kCentral)
    damaged("its directory is damaged");
  Entry entry;
  entry.flags = get<uint16_t>(at + 8);
  entry.method = get<uint16_t>(at + 10);
  entry.crc = get<uint32_t>(at + 16);
  entry.packed = get<uint32_t>(at + 20);
  entry.size = get<uint32_t>(at + 24);
  entry.offset = get<uint32_t>(at + 42);
  uint64_t nameBytes = get<uint16_t>(at + 28);
  uint64_t extraBytes = get<uint16_t>(at + 30);
  uint64_t name = at + 46;
  at = name + nameBytes + extraBytes + get<uint16_t>(at + 32);
  if (at > archive.size())
    damaged("its directory ends too early");
  entry.name = archive.substr(name, nameBytes);
  readExtra64(entry, name + nameBytes, extraBytes);
  return entry;
}

/// Inflates into just the memory that was promised.
std::string Reader::inflateMember(const Entry &entry, uint64_t start) const {
  if (entry.size / 1100 > entry.packed) // deflate packs at most 1032 : 1
    damaged("a member is larger than its data can be");
  std::string content(entry.size, '\0');
  z_stream stream = {};
  if (inflateInit2(&stream, -15) != Z_OK)
    throw Failure(path + ": cannot start zlib");
  const char *in = archive.data() + start;
  uint64_t inLeft = entry.packed, outLeft = entry.size;
  stream.next_out = reinterpret_cast<Bytef *>(content.data());
  int state = Z_OK;
  while (state == Z_OK) {
    uInt inPart = uInt(std::min<uint64_t>(inLeft, 1 << 30));
    uInt outPart = uInt(std::min<uint64_t>(outLeft, 1 << 30));
    stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(in));
    stream.avail_in = inPart, stream.avail_out = outPart;
    state = inflate(&stream, Z_NO_FLUSH);
    in += inPart - stream.avail_in, inLeft -= inPart - stream.avail_in;
    outLeft -= outPart - stream.avail_out;
  }
  inflateEnd(&stream);
  if (state != Z_STREAM_END || outLeft)
    damaged("a member cannot be inflated");
  return content;
}

std::string Reader::readMember(const Entry &entry) const {
  if (entry.flags & 1)
    damaged("a member is encrypted");
  if (get<uint32_t>(entry.offset) != kLocal)
    damaged("a member is not where the directory says");
  uint64_t start = entry.offset + 30 + get<uint16_t>(entry.offset + 26) +
                   get<uint16_t>(entry.offset + 28);
  if (start > archive.size() || entry.packed > archive.size() - start)
    damaged("a member lies beyond its end");
  std::string content;
  if (entry.method == 8)
    content = inflateMember(entry, start);
  else if (entry.method == 0 && entry.packed == entry.size)
    content = archive.substr(start, entry.size);
  else
    damaged("a member is packed by an unknown method");
  auto *bytes = reinterpret_cast<const Bytef *>(content.data());
  if (crc32_z(crc32(0, nullptr, 0), bytes, content.size()) != entry.crc)
    damaged("the checksum of a member is wrong");
  return content;
}

std::vector<ZipMember> Reader::run() {
  readEnd();
  std::vector<ZipMember> members;
  uint64_t at = directory, total = 0;
  for (uint64_t i = 0; i != count; ++i) {
    Entry entry = readEntry(at);
    total += entry.packed;
    if (total > archive.size())
      damaged("its members overlap");
    members.emplace_back(entry.name, readMember(entry));
  }
  return members;
}

std::vector<ZipMember> lz::run::readZip(const std::string &archive,
                                        const std::string &path) {
  return Reader(archive, path).run();
}

/// Appends a little-endian number.
template <typename T> static void put(std::string &out, T value) {
  out.append(reinterpret_cast<const char *>(&value), sizeof value);
}

/// Appends what local and central headers have in common, from the version on.
/// The date is 1980-01-01, so that equal outputs make equal files.
static void putHeader(std::string &out, const ZipMember &member, uint32_t crc) {
  put<uint16_t>(out, 20);
  put<uint16_t>(out, 0x800); // names are UTF-8
  put<uint16_t>(out, 0);     // stored
  put<uint16_t>(out, 0);
  put<uint16_t>(out, 0x21);
  put<uint32_t>(out, crc);
  put<uint32_t>(out, uint32_t(member.second.size()));
  put<uint32_t>(out, uint32_t(member.second.size()));
  put<uint16_t>(out, uint16_t(member.first.size()));
  put<uint16_t>(out, 0); // no extra field
}

/// Appends a member's line of the central directory.
static void putCentral(std::string &directory, const ZipMember &member,
                       uint32_t crc, uint32_t offset) {
  put<uint32_t>(directory, kCentral);
  put<uint16_t>(directory, 20);
  putHeader(directory, member, crc);
  directory.append(10, '\0'); // comment, disk, attributes
  put<uint32_t>(directory, offset);
  directory += member.first;
}

std::string lz::run::writeZip(const std::vector<ZipMember> &members) {
  std::string out, directory;
  for (const ZipMember &member : members) {
    if (out.size() + member.second.size() > 0xfffffff0u ||
        member.first.size() > 0xffff || members.size() > 0xfffe)
      throw Failure("cannot write more than 4 GiB to one .npz file");
    auto *bytes = reinterpret_cast<const Bytef *>(member.second.data());
    auto crc =
        uint32_t(crc32_z(crc32(0, nullptr, 0), bytes, member.second.size()));
    putCentral(directory, member, crc, uint32_t(out.size()));
    put<uint32_t>(out, kLocal);
    putHeader(out, member, crc);
    out += member.first;
    out += member.second;
  }
  auto start = uint32_t(out.size());
  out += directory;
  put<uint32_t>(out, kEnd);
  put<uint32_t>(out, 0);
  put<uint16_t>(out, uint16_t(members.size()));
  put<uint16_t>(out, uint16_t(members.size()));
  put<uint32_t>(out, uint32_t(directory.size()));
  put<uint32_t>(out, start);
  put<uint16_t>(out, 0);
  return out;
}
