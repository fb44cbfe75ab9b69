#include "engine/linux/lane.hpp"

#include "engine/linux/thread_setup.hpp"

namespace drydock::on_linux {
Lane::Lane(Mailbox& mailbox, std::string name) : mailbox_(mailbox), name_(std::move(name)) {}

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
  name_thread(pthread_self(), name_);
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
