#include "sim/disk/throttle_line.hpp"

namespace drydock::sim {

void ThrottleLine::set(BucketOptions options) {
  bucket_ = TokenBucket(options);
  kernel_.post(*this);
}

bool ThrottleLine::enter_limited(DiskCommand& command) {
  if (waiting_.empty()) {
    const std::int64_t wait = bucket_.take(kernel_.now(), command.length());
    if (wait == 0) return true;
    kernel_.at(*this, kernel_.now() + wait);
  }
  waiting_.push_back(command);
  return false;
}

void ThrottleLine::move_on() {
  while (!waiting_.empty()) {
    auto& command = static_cast<DiskCommand&>(*waiting_.front());
    const std::int64_t wait = limited() ? bucket_.take(kernel_.now(), command.length()) : 0;
    if (wait > 0) return kernel_.at(*this, kernel_.now() + wait);
    command.unlink();
    exit_.passed(command);
  }
}

}  // namespace drydock::sim
