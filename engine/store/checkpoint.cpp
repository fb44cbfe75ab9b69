#include "engine/store/checkpoint.hpp"

#include "engine/runtime/poll_grid.hpp"
#include "engine/wire/big_endian.hpp"

namespace drydock {

namespace {

constexpr Duration kFlushInterval = Duration::ms(1000);

}  // namespace

std::array<std::byte, kCheckpointFieldBytes> encode_checkpoint(const CheckpointFields& fields) {
  std::array<std::byte, kCheckpointFieldBytes> bytes;
  BigEndianWriter writer(bytes);
  writer.integer(fields.physical_ms);
  writer.integer(fields.logics_ms);
  writer.integer(fields.index_ms);
  writer.integer(fields.master_flushed_offset);
  writer.integer(fields.confirm_offset);
  return bytes;
}

CheckpointFields decode_checkpoint(std::span<const std::byte, kCheckpointFieldBytes> bytes) {
  BigEndianReader reader(bytes);
  CheckpointFields fields;
  fields.physical_ms = reader.integer<std::int64_t>();
  fields.logics_ms = reader.integer<std::int64_t>();
  fields.index_ms = reader.integer<std::int64_t>();
  fields.master_flushed_offset = reader.integer<std::int64_t>();
  fields.confirm_offset = reader.integer<std::int64_t>();
  return fields;
}

Checkpoint::Checkpoint(Context& context, std::string path)
    : context_(context),
      path_(std::move(path)),
      worker_(context.workers.add("StoreScheduledThread")) {}

Task<Result<void>> Checkpoint::load() {
  Result<std::unique_ptr<MappedFile>> map =
      co_await context_.files.map(worker_, path_, kCheckpointBytes);
  if (!map) co_return map.error();
  map_ = std::move(*map);
  Result<ByteChain> bytes = co_await map_->load(worker_, 0, kCheckpointFieldBytes);
  if (!bytes) co_return bytes.error();
  std::array<std::byte, kCheckpointFieldBytes> copy;
  bytes->copy_to(0, copy);
  fields_ = decode_checkpoint(copy);
  written_ = fields_;
  dispatched_ms_ = fields_.logics_ms;
  co_return Result<void>();
}

Task<void> Checkpoint::run() {
  PollGrid grid(context_.clock, context_.clock.now(), kFlushInterval);
  const auto dirty = [this] { return fields_ != written_; };
  bool failed = false;
  for (;;) {
    Result<void> due = co_await grid.until(changed_, dirty);
    if (!due) co_return;
    Result<void> flushed = co_await flush(worker_);
    if (!flushed && !failed) {
      context_.observer.log(LogLevel::error, "can't write the checkpoint file; will try again");
    }
    failed = !flushed;
  }
}

Task<Result<void>> Checkpoint::flush(Worker& worker) {
  if (map_ == nullptr || fields_ == written_) co_return Result<void>();
  Result<Mutex::Permit> turn = co_await writing_.lock();
  if (!turn) co_return turn.error();
  co_await context_.chaos.reach(CrashPoint::store_before_checkpoint_write);
  const CheckpointFields fields = fields_;
  const std::array<std::byte, kCheckpointFieldBytes> bytes = encode_checkpoint(fields);
  if (!map_->try_store(worker, 0, bytes)) {
    SharedBytes copy = SharedBytes::copy_of(std::span<const std::byte>(bytes));
    Result<void> stored = co_await map_->store(worker, 0, std::move(copy));
    if (!stored) co_return stored;
  }
  Result<void> synced = co_await map_->sync(worker, 0, kCheckpointBytes);
  if (synced) written_ = fields;
  co_return synced;
}

}  // namespace drydock
