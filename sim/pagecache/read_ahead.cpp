#include "sim/pagecache/read_ahead.hpp"

#include <bit>

namespace drydock::sim {

std::int64_t ReadAhead::limit(PageRange request) const {
  const std::int64_t usual = pattern_ == Pattern::sequential ? 2 * pages_max_ : pages_max_;
  const std::int64_t asked = request.end - request.first;
  return asked > usual ? std::max(usual, std::min(asked, command_pages_)) : usual;
}

ReadAhead::Miss ReadAhead::kind_of(PageRange request) const {
  if (pattern_ == Pattern::random || pages_max_ == 0) return Miss::random;
  if (request.first == 0) return Miss::initial;
  const bool has_window = end_ > start_;
  if (has_window && (request.first == end_ || request.first == mark_)) return Miss::continued;
  const bool follows = request.first == previous_ || request.first == previous_ + 1;
  const bool large = request.end - request.first > limit(request);
  return follows || large ? Miss::initial : Miss::other;
}

PageRange ReadAhead::begin(PageRange request) {
  const std::int64_t asked = request.end - request.first;
  const std::int64_t most = limit(request);
  std::int64_t size = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(asked)));
  if (size <= most / 32) {
    size *= 4;
  } else if (size <= most / 4) {
    size *= 2;
  } else {
    size = most;
  }
  start_ = request.first;
  end_ = start_ + size;
  mark_ = size > asked ? request.end : start_;
  return {start_, end_};
}

std::int64_t ReadAhead::next_size(std::int64_t size, std::int64_t limit) {
  if (size < limit / 16) return 4 * size;
  if (size <= limit / 2) return 2 * size;
  return limit;
}

PageRange ReadAhead::proceed(std::int64_t limit) {
  const std::int64_t size = next_size(end_ - start_, limit);
  start_ = end_;
  end_ = start_ + size;
  mark_ = start_;
  return {start_, end_};
}

// `size`: of the window, if it did not grow.
PageRange ReadAhead::interleave(std::int64_t first, std::int64_t size, std::int64_t limit) {
  start_ = first;
  end_ = start_ + next_size(size, limit);
  mark_ = start_;
  return {start_, end_};
}

PageRange ReadAhead::resume(PageRange request, std::int64_t cached) {
  // What is cached from the beginning of the file on was a stream for sure: it counts twice.
  if (cached >= request.first) cached *= 2;
  const std::int64_t asked = request.end - request.first;
  start_ = request.first;
  end_ = start_ + std::min(cached + asked, limit(request));
  mark_ = end_ - 1;
  return {start_, end_};
}

PageRange ReadAhead::around(PageRange window, std::int64_t async) {
  start_ = window.first;
  end_ = window.end;
  mark_ = end_ - async;
  return window;
}

}  // namespace drydock::sim
