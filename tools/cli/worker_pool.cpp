#include "tools/cli/worker_pool.hpp"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "scenarios/drill/units.hpp"

namespace drydock::cli {
namespace {

volatile std::sig_atomic_t interrupted = 0;

extern "C" void on_interrupt(int) { interrupted = 1; }

// All of `bytes`, or false if the other end is gone.
bool write_all(int descriptor, const char* bytes, std::size_t length) {
  while (length > 0) {
    const ssize_t written = ::write(descriptor, bytes, length);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes += written;
    length -= static_cast<std::size_t>(written);
  }
  return true;
}

// Exactly `length` bytes, or false if the other end is gone.
bool read_all(int descriptor, char* bytes, std::size_t length) {
  while (length > 0) {
    const ssize_t got = ::read(descriptor, bytes, length);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    bytes += got;
    length -= static_cast<std::size_t>(got);
  }
  return true;
}

// In front of everything that a worker says.
struct Heading {
  std::uint64_t parts = 0;   // Not 0: so many parts begin, and nothing follows.
  std::uint64_t length = 0;  // Of the answer that follows.
};

bool write_heading(int descriptor, const Heading& heading) {
  return write_all(descriptor, reinterpret_cast<const char*>(&heading), sizeof(heading));
}

[[noreturn]] void fail(const char* what) {
  throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
}

// SIGINT and SIGTERM set a flag while the pool works; SIGPIPE is an error of the write instead.
class Signals {
 public:
  Signals() {
    interrupted = 0;
    struct sigaction action = {};
    action.sa_handler = on_interrupt;  // Without SA_RESTART: poll returns.
    sigaction(SIGINT, &action, &old_int_);
    sigaction(SIGTERM, &action, &old_term_);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, &old_pipe_);
  }
  ~Signals() {
    sigaction(SIGINT, &old_int_, nullptr);
    sigaction(SIGTERM, &old_term_, nullptr);
    sigaction(SIGPIPE, &old_pipe_, nullptr);
  }

 private:
  struct sigaction old_int_ = {};
  struct sigaction old_term_ = {};
  struct sigaction old_pipe_ = {};
};

}  // namespace

void WorkerPool::serve(int in, int out) {
  // The terminal sends its interrupt to everybody; the parent alone decides what it means.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_DFL);
  for (const Worker& other : workers_) {
    if (other.to >= 0) ::close(other.to);
    if (other.from >= 0) ::close(other.from);
  }
  const NextParts next = [out](int count) {
    // Nobody reads it: then nobody reads the answer, either, and that write ends the worker.
    (void)write_heading(out, {.parts = static_cast<std::uint64_t>(count)});
  };
  std::uint64_t number = 0;
  while (read_all(in, reinterpret_cast<char*>(&number), sizeof(number))) {
    const std::string text = work_(number, next);
    if (!write_heading(out, {.length = text.size()})) break;
    if (!write_all(out, text.data(), text.size())) break;
  }
  ::_exit(0);
}

WorkerPool::Worker WorkerPool::start() {
  int to[2];
  int from[2];
  if (::pipe(to) != 0) fail("pipe");
  if (::pipe(from) != 0) fail("pipe");
  std::fflush(nullptr);
  const pid_t pid = ::fork();
  if (pid < 0) fail("fork");
  if (pid == 0) {
    ::close(to[1]);
    ::close(from[0]);
    serve(to[0], from[1]);
  }
  ::close(to[0]);
  ::close(from[1]);
  Worker worker;
  worker.pid = pid;
  worker.to = to[1];
  worker.from = from[0];
  return worker;
}

void WorkerPool::give(Worker& worker) {
  worker.busy = next_ < count_;
  if (!worker.busy) return;
  worker.number = next_++;
  worker.parts = 1;
  worker.since = std::chrono::steady_clock::now();
  // A worker that died meanwhile is noticed when its answer is read.
  (void)write_all(worker.to, reinterpret_cast<const char*>(&worker.number), sizeof(worker.number));
}

std::string WorkerPool::bury(Worker& worker) {
  ::close(worker.to);
  ::close(worker.from);
  int status = 0;
  while (::waitpid(worker.pid, &status, 0) < 0 && errno == EINTR) {
  }
  worker = Worker();
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  return "exit status " + std::to_string(WEXITSTATUS(status));
}

std::optional<Answer> WorkerPool::take(Worker& worker) {
  Heading heading;
  Answer answer;
  while (read_all(worker.from, reinterpret_cast<char*>(&heading), sizeof(heading))) {
    if (heading.parts > 0) {
      if (worker.out_of_time) continue;  // Too late: what else it said is still there.
      worker.parts = heading.parts;
      worker.since = std::chrono::steady_clock::now();
      return std::nullopt;
    }
    answer.text.resize(heading.length);
    if (!read_all(worker.from, answer.text.data(), heading.length)) break;
    // It gave its answer just before it was killed.
    if (worker.out_of_time) replace(worker);
    return answer;
  }
  answer.crashed = true;
  if (worker.out_of_time) {
    const Duration had = limit_ * static_cast<std::int64_t>(worker.parts);
    answer.text =
        "stopped after " + scenarios::text_of(had) + " of real time; --limit gives it more";
    replace(worker);
  } else {
    answer.text = "its worker process ended with " + bury(worker);
    worker = start();
  }
  return answer;
}

void WorkerPool::replace(Worker& worker) {
  bury(worker);
  worker = start();
}

void WorkerPool::end_stuck_workers() {
  const auto now = std::chrono::steady_clock::now();
  for (Worker& worker : workers_) {
    const std::chrono::nanoseconds limit(limit_.count_ns() *
                                         static_cast<std::int64_t>(worker.parts));
    if (!worker.busy || now - worker.since <= limit) continue;
    worker.out_of_time = true;
    ::kill(worker.pid, SIGKILL);
  }
}

bool WorkerPool::run(std::uint64_t count, const Done& done) {
  const Signals signals;
  count_ = count;
  next_ = 0;
  const std::uint64_t needed = std::min<std::uint64_t>(jobs_, count);
  while (workers_.size() < needed) workers_.push_back(start());
  for (Worker& worker : workers_) give(worker);
  std::uint64_t answered = 0;
  std::vector<pollfd> polled(workers_.size());
  while (answered < count) {
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      polled[i] = {workers_[i].busy ? workers_[i].from : -1, POLLIN, 0};
    }
    constexpr int kLookMs = 1000;
    const int ready = ::poll(polled.data(), polled.size(), kLookMs);
    if (interrupted != 0) return stop(), false;
    if (ready < 0 && errno != EINTR) fail("poll");
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      if (ready <= 0 || polled[i].revents == 0) continue;
      const std::uint64_t number = workers_[i].number;
      const std::optional<Answer> answer = take(workers_[i]);
      if (!answer) continue;
      give(workers_[i]);
      ++answered;
      done(number, *answer);
    }
    end_stuck_workers();  // After their answers: one that has come is no longer stuck.
  }
  stop();
  return true;
}

void WorkerPool::stop() {
  for (Worker& worker : workers_) {
    // An idle worker ends when its pipe does; a busy one has nothing left that anybody wants.
    if (worker.busy) ::kill(worker.pid, SIGTERM);
    bury(worker);
  }
  workers_.clear();
}

}  // namespace drydock::cli
