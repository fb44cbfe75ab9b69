#include "sim/pagecache/completion_share.hpp"

namespace drydock::sim {
namespace {

std::int64_t halved(std::int64_t pages, std::int64_t times) {
  return times < 63 ? pages >> times : 0;
}

}  // namespace

void Completions::pass_to(Jiffies now) {
  while (running_ && now >= next_halving_) {
    running_ = pages_ > 1;
    if (!running_) return;
    pages_ /= 2;
    ++halvings_;
    next_halving_ += period_;
  }
}

void CompletionShare::catch_up(Jiffies now) {
  all_.pass_to(now);
  pages_ = halved(pages_, all_.halvings_ - halvings_);
  halvings_ = all_.halvings_;
}

void CompletionShare::completed(std::int64_t pages, Jiffies now) {
  catch_up(now);
  pages_ += pages;
  all_.pages_ += pages;
  if (all_.running_) return;
  all_.running_ = true;
  all_.next_halving_ = now + all_.period_;
}

std::int64_t CompletionShare::of(std::int64_t amount, Jiffies now) {
  catch_up(now);
  return amount * pages_ / std::max<std::int64_t>({all_.pages_, pages_, 1});
}

}  // namespace drydock::sim
