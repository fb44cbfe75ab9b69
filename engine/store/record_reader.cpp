#include "engine/store/record_reader.hpp"

#include <algorithm>

namespace drydock {

namespace {

constexpr std::int64_t kStepBytes = 128 * 1024;

}  // namespace

Task<Result<RecordCheck>> RecordReader::check(std::int64_t at, std::int64_t limit,
                                              RecordView& view) {
  for (;;) {
    const RecordCheck result = peek(at, limit, view);
    if (result.fault != RecordFault::need_more) co_return result;
    Result<void> filled = co_await fill(at, limit, result.needed_bytes);
    if (!filled) co_return filled.error();
  }
}

RecordCheck RecordReader::peek(std::int64_t at, std::int64_t limit, RecordView& view) const {
  std::span<const std::byte> window;
  const auto bytes = static_cast<std::int64_t>(loaded_.size());
  if (at >= at_ && at < at_ + bytes)
    window = loaded_.span().subspan(static_cast<std::size_t>(at - at_));
  return check_record(window, limit - at, content_check_, view);
}

Task<Result<void>> RecordReader::fill(std::int64_t at, std::int64_t limit,
                                      std::int64_t needed_bytes) {
  const std::int64_t length = std::min(std::max(needed_bytes, kStepBytes), limit - at);
  ENSURE(length >= needed_bytes);
  ByteChain present = file_->map->try_load(at, length);
  if (present.empty()) {
    Result<ByteChain> loaded = co_await file_->map->load(worker_, at, length);
    if (!loaded) co_return loaded.error();
    present = std::move(*loaded);
  }
  loaded_ = present.flatten();
  at_ = at;
  co_return Result<void>();
}

}  // namespace drydock
