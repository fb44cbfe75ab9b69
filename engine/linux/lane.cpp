#include "engine/linux/lane.hpp"

#include <pthread.h>
#include <signal.h>

namespace drydock::on_linux {
namespace {

// Signals for the whole process (SIGTERM and its like) belong to the first thread; what a thread
// does itself (SIGBUS above all) can't be blocked.
void block_signals() {
  sigset_t signals;
  sigfillset(&signals);
  for (const int own : {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS}) {
    sigdelset(&signals, own);
  }
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

}  // namespace

Lane::Lane(Mailbox& mailbox, std::string name) : mailbox_(mailbox), name_(std::move(name)) {
  name_.resize(std::min<std::size_t>(name_.size(), 15));  // The kernel's limit.
}

Lane::~Lane() {
  close();
  if (thread_.joinable()) thread_.join();
}

void Lane::submit(Operation& operation) {
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  {
    const std::lock_guard lock(mutex_);
    ENSURE(!closed_);
    queue_.push_back(&operation);
  }
  changed_.notify_one();
}

void Lane::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_one();
}

void Lane::run() {
  block_signals();
  pthread_setname_np(pthread_self(), name_.c_str());
  std::vector<Operation*> batch;
  while (take(batch)) {
    for (Operation* operation : batch) {
      operation->run();
      mailbox_.put(*operation);
    }
    batch.clear();
  }
}

bool Lane::take(std::vector<Operation*>& batch) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return closed_ || !queue_.empty(); });
  batch.swap(queue_);
  return !batch.empty();
}

}  // namespace drydock::on_linux
