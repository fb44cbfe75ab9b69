// One thread with a queue: where a worker's blocking calls run.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/linux/mailbox.hpp"

namespace drydock::on_linux {

// Operations run in the order in which they were given. The thread takes everything that is queued
// in one go and hands each operation back as soon as it is done, so a stuck one holds up those
// behind it but not those before it. The thread starts with the first operation.
class Lane {
 public:
  // `name`: of the thread, as /proc and perf show it; 15 characters of it.
  Lane(Mailbox& mailbox, std::string name);
  // Waits for what was given to it.
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  void submit(Operation& operation);
  const std::string& name() const { return name_; }
  // The thread ends after what was given to it. Nothing more may be submitted.
  void close();

 private:
  void run();
  bool take(std::vector<Operation*>& batch);

  Mailbox& mailbox_;
  std::string name_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Operation*> queue_;
  bool closed_ = false;
  std::thread thread_;
};

}  // namespace drydock::on_linux
