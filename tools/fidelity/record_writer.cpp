#include "tools/fidelity/record_writer.hpp"

#include <algorithm>

namespace drydock::fidelity {
namespace {

constexpr Duration kStall = Duration::ms(1);
// A paced writer that is less ahead than this goes on; otherwise it wakes a little early.
constexpr Duration kAheadMax = Duration::us(150);
constexpr Duration kWakeEarly = Duration::us(60);

}  // namespace

RecordWriter::RecordWriter(StorageWorld& world, std::string name, RecordWriterOptions options)
    : world_(world), options_(std::move(options)) {
  world_.start(std::move(name), [this](Context& context) { return run(context); });
}

WaitPlace RecordWriter::wait_place() const {
  return worker_ == nullptr ? WaitPlace::none : worker_->wait_place();
}

void RecordWriter::wait() {
  const std::int64_t limit = (world_.now() + Duration::s(3600)).count_ns();
  ENSURE(world_.kernel().run_while_not([this] { return ended_ && !flushing_; }, limit));
}

Task<void> RecordWriter::run(Context& context) {
  worker_ = &context.workers.add("writer");
  if (options_.way == RecordWriterOptions::Way::mapped) {
    auto map = co_await context.files.map(*worker_, options_.path, options_.file_bytes);
    ENSURE(map.has_value());
    map_ = std::move(*map);
  } else {
    const OpenOptions writable;
    auto file = co_await context.files.open(*worker_, options_.path, writable);
    ENSURE(file.has_value());
    file_ = std::move(*file);
  }
  began_ = world_.now();
  TaskScope threads(context.scope);
  if (options_.flush_pause > Duration()) threads.spawn(flush(context));
  const SharedBytes record = SharedBytes::zeros(static_cast<std::size_t>(kRecordBytes));
  for (;;) {
    if (options_.bytes_per_s > 0) {
      const Duration due = Duration::ns(written_ * 1'000'000'000 / options_.bytes_per_s);
      const Duration ahead = due - now();
      if (ahead > kAheadMax) {
        Result<void> slept = co_await sleep_for(context.clock, ahead - kWakeEarly);
        ENSURE(slept.has_value());
      }
    }
    const Duration begin = now();
    if (begin > options_.length) break;
    const std::int64_t offset = written_ % options_.file_bytes;
    if (offset % sim::kPageBytes == 0) {
      Result<void> faulted = co_await sleep_for(context.clock, options_.fault);
      ENSURE(faulted.has_value());
    }
    const bool mapped = map_ != nullptr;
    const bool stored = mapped && map_->try_store(*worker_, offset, record.span());
    if (mapped && !stored) {
      Result<void> slowly = co_await map_->store(*worker_, offset, record);
      ENSURE(slowly.has_value());
    }
    if (!mapped) {
      Result<void> buffered = co_await file_->write_at(*worker_, offset, record);
      ENSURE(buffered.has_value());
    }
    const Duration took = now() - begin;
    if (took >= kStall) stalls_.push_back({begin, took, written_});
    written_ += kRecordBytes;
  }
  length_ = now();
  for (std::size_t place = 0; place < waits_.size(); ++place) {
    waits_[place] = worker_->waits_at(static_cast<WaitPlace>(place));
  }
  ended_ = true;
  // The process ends with its program: its last sync would be cut off.
  co_await threads.join();
}

// Like msync of the range that was written since the last one.
Task<void> RecordWriter::flush(Context& context) {
  Worker& worker = context.workers.add("flush");
  flushing_ = true;
  std::int64_t done = 0;
  while (!ended_) {
    Result<void> slept = co_await sleep_for(context.clock, options_.flush_pause);
    ENSURE(slept.has_value());
    const std::int64_t written = written_;
    if (written <= done) continue;
    const std::int64_t from = done / sim::kPageBytes * sim::kPageBytes;
    const Duration begin = now();
    Result<void> durable = co_await map_->sync(worker, from, written - from);
    ENSURE(durable.has_value());
    flushes_.push_back({begin, now() - begin});
    done = written;
  }
  flushing_ = false;
}

Stall longest(const std::vector<Stall>& stalls) {
  Stall found;
  for (const Stall& stall : stalls) {
    if (stall.length > found.length) found = stall;
  }
  return found;
}

}  // namespace drydock::fidelity
