#include "scenarios/workload/writer_program.hpp"

#include <deque>
#include <memory>

#include "engine/runtime/sync.hpp"
#include "scenarios/workload/pace.hpp"
#include "scenarios/workload/records.hpp"

namespace drydock::scenarios {
namespace {

// What the preparation of a file writes at once.
constexpr std::int64_t kPrepareBytes = 1 << 20;

// The file, stored into as the drill says.
class Target {
 public:
  Target(Context& context, const WriterSpec& spec) : context_(context), spec_(spec) {}

  Task<Result<void>> open(Worker& worker) {
    const Caching caching =
        spec_.access == FileAccess::direct ? Caching::direct : Caching::buffered;
    const OpenOptions options{
        .mode = OpenMode::read_write, .create = Create::if_missing, .caching = caching};
    Result<std::unique_ptr<File>> file = co_await context_.files.open(worker, spec_.file, options);
    if (!file) co_return file.error();
    file_ = std::move(*file);
    Result<std::int64_t> size = file_->size();
    if (!size) co_return size.error();
    if (*size == 0) {
      Result<void> prepared = co_await prepare(worker);
      if (!prepared) co_return prepared;
    }
    if (spec_.access != FileAccess::mmap) co_return Result<void>();
    Result<std::unique_ptr<MappedFile>> map =
        co_await context_.files.map(worker, spec_.file, spec_.file_bytes);
    if (!map) co_return map.error();
    map_ = std::move(*map);
    co_return Result<void>();
  }

  Task<Result<void>> store(Worker& worker, std::int64_t offset, SharedBytes record) {
    if (map_ == nullptr) {
      Result<void> written = co_await file_->write_at(worker, offset, std::move(record));
      co_return written;
    }
    if (map_->try_store(worker, offset, record.span())) co_return Result<void>();
    Result<void> stored = co_await map_->store(worker, offset, std::move(record));
    co_return stored;
  }

  // Of everything that has been stored; `from`: what lies before is synced already.
  Task<Result<void>> sync(Worker& worker, std::int64_t from, std::int64_t to) {
    if (map_ != nullptr) {
      Result<void> synced = co_await map_->sync(worker, from, to - from);
      co_return synced;
    }
    if (spec_.sync == SyncCall::fdatasync) {
      Result<void> synced = co_await file_->sync_data(worker);
      co_return synced;
    }
    Result<void> synced = co_await file_->sync_all(worker);
    co_return synced;
  }

 private:
  Task<Result<void>> prepare(Worker& worker) {
    if (spec_.prepared == Prepared::allocated) {
      Result<void> allocated = co_await file_->allocate(worker, 0, spec_.file_bytes);
      if (!allocated) co_return allocated;
    } else {
      Result<void> extended = co_await file_->truncate(worker, spec_.file_bytes);
      if (!extended) co_return extended;
    }
    if (spec_.prepared == Prepared::written) {
      Result<void> written = co_await write_zeros(worker);
      if (!written) co_return written;
    }
    Result<void> synced = co_await file_->sync_all(worker);
    co_return synced;
  }

  // Past the page cache, which would be full of them.
  Task<Result<void>> write_zeros(Worker& worker) {
    const OpenOptions options{.caching = Caching::direct};
    Result<std::unique_ptr<File>> file = co_await context_.files.open(worker, spec_.file, options);
    if (!file) co_return file.error();
    const SharedBytes zeros = SharedBytes::zeros(static_cast<std::size_t>(kPrepareBytes));
    for (std::int64_t at = 0; at < spec_.file_bytes; at += kPrepareBytes) {
      const std::int64_t length = std::min(kPrepareBytes, spec_.file_bytes - at);
      SharedBytes piece = zeros.slice(0, static_cast<std::size_t>(length));
      Result<void> written = co_await (*file)->write_at(worker, at, std::move(piece));
      if (!written) co_return written;
    }
    co_return Result<void>();
  }

  Context& context_;
  const WriterSpec& spec_;
  std::unique_ptr<File> file_;
  std::unique_ptr<MappedFile> map_;
};

class Writer {
 public:
  Writer(Context& context, const WriterSpec& spec, Recorder& recorder)
      : context_(context),
        spec_(spec),
        recorder_(recorder),
        target_(context, spec),
        number_(recorder.producer(spec.name, spec.timeout)),
        worker_(context.workers.add("writer")) {}

  Task<void> run() {
    Result<void> begun = co_await begin();
    if (!begun) {
      say_error("could not begin", begun.error());
      co_return;
    }
    TaskScope threads(context_.scope);
    if (spec_.sync != SyncCall::none && spec_.sync_every > Duration()) {
      threads.spawn(flush(context_.workers.add("flusher")));
    }
    if (spec_.heartbeat > Duration()) {
      context_.workers.add("heartbeat");
      threads.spawn(beat());
    }
    threads.spawn(write());
    co_await threads.join();
  }

 private:
  // Stored, and not acknowledged yet.
  struct Pending {
    std::uint64_t key;
    std::int64_t offset;
  };

  Task<Result<void>> begin() {
    Result<void> opened = co_await target_.open(worker_);
    if (!opened) co_return opened;
    const RecordFile file{.path = spec_.file, .record_bytes = spec_.record_bytes};
    Result<std::vector<FoundRecord>> records = co_await find_records(context_, worker_, file);
    if (!records) co_return records.error();
    for (const FoundRecord& record : *records) {
      if (record.offset != stored_to_) break;
      stored_to_ += spec_.record_bytes;
    }
    synced_to_ = stored_to_;
    context_.observer.event(EventName::store_recovery_finished, stored_to_, 0);
    started_ = context_.clock.now();
    co_return Result<void>();
  }

  bool full() const { return stored_to_ + spec_.record_bytes > spec_.file_bytes; }
  bool over() const { return context_.terminate.is_set() || given_up_ || full(); }

  Task<void> write() {
    for (std::int64_t made = 0; !over(); ++made) {
      const MonotonicTime due = due_time(made);
      if (due > context_.clock.now()) {
        Result<void> told_to_stop = co_await context_.terminate.wait(due);
        if (told_to_stop || told_to_stop.error().code() == ErrorCode::cancelled) break;
      }
      const bool went_on = co_await write_one();
      if (!went_on) break;
    }
    writing_ended_.set();
  }

  // Due times are a fixed grid: a writer that was stuck catches up.
  MonotonicTime due_time(std::int64_t made) const {
    return started_ + pace(made * spec_.record_bytes, spec_.bytes_per_second);
  }

  // False: it gives up.
  Task<bool> write_one() {
    const std::uint64_t key = recorder_.invoked(number_, spec_.record_bytes);
    const std::int64_t offset = stored_to_;
    SharedBytes record = record_of(key, static_cast<std::size_t>(spec_.record_bytes));
    Result<void> stored = co_await target_.store(worker_, offset, std::move(record));
    if (!stored) {
      complete({key, offset}, SendStatus::unknown);  // A part of it may be there.
      if (stored.error().code() == ErrorCode::cancelled) co_return false;
      say_error("store failed", stored.error());
      co_return on_error();
    }
    stored_to_ += spec_.record_bytes;
    context_.observer.event(EventName::store_appended, offset, spec_.record_bytes);
    if (spec_.acked == AckedWhen::stored) complete({key, offset}, SendStatus::acked);
    if (spec_.acked == AckedWhen::synced) pending_.push_back({key, offset});
    if (spec_.sync == SyncCall::none || spec_.sync_every > Duration()) co_return true;
    const bool synced = co_await sync(worker_);
    co_return synced;
  }

  Task<void> flush(Worker& flusher) {
    while (!writing_ended_.is_set() && !given_up_) {
      const MonotonicTime next = context_.clock.now() + spec_.sync_every;
      Result<void> ended = co_await writing_ended_.wait(next);
      if (!ended && ended.error().code() == ErrorCode::cancelled) co_return;
      if (synced_to_ == stored_to_) continue;
      const bool went_on = co_await sync(flusher);
      if (!went_on) co_return;
    }
  }

  // It has nothing to wait for, and stands still if its process does.
  Task<void> beat() {
    while (!writing_ended_.is_set()) {
      const MonotonicTime next = context_.clock.now() + spec_.heartbeat;
      Result<void> ended = co_await writing_ended_.wait(next);
      if (!ended && ended.error().code() == ErrorCode::cancelled) co_return;
    }
  }

  // False: it gives up.
  Task<bool> sync(Worker& worker) {
    const std::int64_t to = stored_to_;
    Result<void> synced = co_await target_.sync(worker, synced_to_, to);
    if (!synced) {
      if (synced.error().code() == ErrorCode::cancelled) co_return false;
      say_error("sync failed", synced.error());
      context_.observer.event(EventName::store_flush_failed, synced_to_, synced.error().status());
      co_return on_error();
    }
    synced_to_ = to;
    context_.observer.event(EventName::store_flushed, to, 0);
    while (!pending_.empty() && pending_.front().offset < to) {
      complete(pending_.front(), SendStatus::acked);
      pending_.pop_front();
    }
    co_return true;
  }

  bool on_error() {
    given_up_ = spec_.after_error == AfterError::stop;
    return !given_up_;
  }

  void complete(Pending record, SendStatus status) {
    SendOutcome outcome;
    outcome.status = status;
    outcome.physical_offset = PhysicalOffset(record.offset);
    recorder_.completed(record.key, outcome);
  }

  void say_error(const char* what, Error error) {
    context_.observer.log(LogLevel::error, std::string(what) + " on " + spec_.file + ": " +
                                               std::string(drydock::name_of(error.code())));
  }

  Context& context_;
  const WriterSpec& spec_;
  Recorder& recorder_;
  Target target_;
  std::uint32_t number_;
  Worker& worker_;
  MonotonicTime started_;
  std::int64_t stored_to_ = 0;
  std::int64_t synced_to_ = 0;
  std::deque<Pending> pending_;
  bool given_up_ = false;
  Event writing_ended_;
};

}  // namespace

Task<void> run_writer(Context& context, const WriterSpec& spec, Recorder& recorder) {
  Writer writer(context, spec, recorder);
  co_await writer.run();
}

}  // namespace drydock::scenarios
