//===- Isolate.cpp - run functions in processes of their own --------------===//

#include "test/conformance/Isolate.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace lz;

/// What a child sends: the outcome's kind, then the reason.
static void sendOutcome(int descriptor, const Outcome &outcome) {
  std::string text(1, static_cast<char>('0' + outcome.kind));
  text += outcome.reason;
  size_t sent = 0;
  while (sent != text.size()) {
    ssize_t count = write(descriptor, text.data() + sent, text.size() - sent);
    if (count <= 0)
      return;
    sent += count;
  }
}

namespace {
/// Children that run, and outcomes that wait for their turn.
class Pool {
public:
  Pool(unsigned timeout, std::function<void(size_t, const Outcome &)> done)
      : timeout(timeout), done(std::move(done)) {}

  size_t getNumRunning() const { return children.size(); }
  void start(size_t index, const std::function<Outcome()> &task);
  /// Waits for one child and reports what can be reported in order.
  void collect();

private:
  struct Child {
    size_t index;
    FILE *output;
  };
  Outcome judge(FILE *output, int status) const;

  unsigned timeout;
  std::function<void(size_t, const Outcome &)> done;
  std::map<pid_t, Child> children;
  std::map<size_t, Outcome> finished;
  size_t next = 0;
};
} // namespace

void Pool::start(size_t index, const std::function<Outcome()> &task) {
  // A file, not a pipe: the parent reads only after the child's end, and no
  // length of text can block it.
  FILE *output = std::tmpfile();
  pid_t child = output ? fork() : -1;
  if (child == 0) {
    alarm(timeout);
    rlimit memory = {rlim_t(8) << 30, rlim_t(8) << 30};
    setrlimit(RLIMIT_AS, &memory);
    rlimit noCore = {0, 0};
    setrlimit(RLIMIT_CORE, &noCore);
    sendOutcome(fileno(output), task());
    _exit(0);
  }
  if (child > 0) {
    children[child] = {index, output};
    return;
  }
  finished[index] = {Outcome::Failed,
                     std::string("can't start a process: ") + strerror(errno)};
}

/// Reads what the child sent, or says how it ended.
Outcome Pool::judge(FILE *output, int status) const {
  if (WIFSIGNALED(status))
    return {Outcome::Failed,
            WTERMSIG(status) == SIGALRM
                ? "ran for more than " + std::to_string(timeout) + " s"
                : std::string("crashed: ") + strsignal(WTERMSIG(status))};
  std::string text;
  char buffer[4096];
  rewind(output);
  while (size_t count = fread(buffer, 1, sizeof(buffer), output))
    text.append(buffer, count);
  if (text.empty())
    return {Outcome::Failed, "ended without an outcome, with exit code " +
                                 std::to_string(WEXITSTATUS(status))};
  return {static_cast<Outcome::Kind>(text[0] - '0'), text.substr(1)};
}

void Pool::collect() {
  int status = 0;
  pid_t ended = children.empty() ? -1 : waitpid(-1, &status, 0);
  auto found = children.find(ended);
  if (found != children.end()) {
    finished[found->second.index] = judge(found->second.output, status);
    fclose(found->second.output);
    children.erase(found);
  }
  for (; finished.count(next); ++next) {
    done(next, finished[next]);
    finished.erase(next);
  }
}

void lz::runIsolated(const std::vector<std::function<Outcome()>> &tasks,
                     unsigned jobs, unsigned timeout,
                     const std::function<void(size_t, const Outcome &)> &done) {
  Pool pool(timeout, done);
  for (size_t i = 0; i != tasks.size(); ++i) {
    while (pool.getNumRunning() >= jobs)
      pool.collect();
    pool.start(i, tasks[i]);
  }
  while (pool.getNumRunning() != 0)
    pool.collect();
  pool.collect();
}
