#include "engine/store/file_allocator.hpp"

#include <algorithm>

namespace drydock {

namespace {

constexpr Duration kTakeTimeout = Duration::ms(5000);
constexpr Duration kRetryPause = Duration::ms(1);
constexpr Duration kLockedWhenFull = Duration::s(6);

}  // namespace

FileAllocator::FileAllocator(Context& context, const StoreConfiguration& configuration,
                             TransientStorePool* pool)
    : context_(context),
      directory_(configuration.commit_log_path()),
      file_bytes_(configuration.mapped_file_size_commit_log),
      pool_(pool),
      fast_fail_(pool != nullptr && configuration.fast_fail_if_no_buffer_in_store_pool),
      syncs_names_(configuration.behaviour.hardened(BehaviourSwitch::files_names_not_synced)),
      warm_(configuration.warm_maped_file_enable),
      forced_(configuration.flush_disk_type == FlushDiskType::sync_flush),
      forced_pages_(configuration.flush_least_pages_when_warm_maped_file),
      worker_(context.workers.add("AllocateMappedFileService")) {}

Task<void> FileAllocator::run() {
  for (;;) {
    asked_.reset();
    unlock_what_is_due();
    const RequestPointer next = next_to_make();
    if (next == nullptr) {
      const bool goes_on = co_await wait_for_work();
      if (!goes_on) co_return;
      continue;
    }
    Result<void> made = co_await make(next);
    if (made) continue;
    if (made.error().code() == ErrorCode::cancelled) co_return;
    Result<void> slept = co_await sleep_for(context_.clock, kRetryPause);
    if (!slept) co_return;
  }
}

Task<bool> FileAllocator::wait_for_work() {
  const Deadline until = full_.empty() ? kNever : full_.front().until;
  Result<void> woken = co_await asked_.wait(until);
  co_return woken || woken.error().code() == ErrorCode::timed_out;
}

void FileAllocator::full(LogFilePointer file) {
  if (!warm_) return;
  full_.push_back({context_.clock.now() + kLockedWhenFull, std::move(file)});
  asked_.set();
}

void FileAllocator::unlock_what_is_due() {
  while (!full_.empty() && full_.front().until <= context_.clock.now()) {
    full_.front().file->map->unlock_memory();
    full_.pop_front();
  }
}

Task<Result<void>> FileAllocator::make(RequestPointer request) {
  making_ = request;
  Result<LogFilePointer> file = co_await open(request);
  making_.reset();
  if (!file) {
    const std::string path = directory_ + "/" + queue_file_name(request->start);
    if (!failure_) context_.observer.log(LogLevel::error, "can't make " + path);
    failure_ = file.error();
    co_return file.error();
  }
  failure_.reset();
  request->file = std::move(*file);
  context_.observer.event(EventName::store_file_created, request->start.value());
  request->done.set();
  co_return Result<void>();
}

Task<Result<LogFilePointer>> FileAllocator::open(RequestPointer request) {
  const std::string path = directory_ + "/" + queue_file_name(request->start);
  if (request->map == nullptr) {
    Result<std::unique_ptr<MappedFile>> map =
        co_await context_.files.map(worker_, path, file_bytes_);
    if (!map) co_return map.error();
    request->map = std::move(*map);
  }
  if (syncs_names_ && !request->named) {
    Result<void> named = co_await context_.files.sync_directory(worker_, directory_);
    if (!named) co_return named.error();
    request->named = true;
  }
  if (warm_) {
    Result<void> warm = co_await warm_up(request);
    if (!warm) co_return warm.error();
  }
  auto file = std::make_shared<LogFile>(std::move(request->map), request->start);
  if (pool_ != nullptr) {
    const OpenOptions options{};
    Result<std::unique_ptr<File>> channel = co_await context_.files.open(worker_, path, options);
    if (!channel) co_return channel.error();
    file->pooled = std::make_unique<PooledFile>(std::move(*channel), pool_->borrow());
  }
  co_return file;
}

Task<Result<void>> FileAllocator::warm_up(RequestPointer request) {
  MappedFile& map = *request->map;
  const SharedBytes zero = SharedBytes::zeros(1);
  std::int64_t& page = request->cold_page;
  std::int64_t forced_to = page;
  for (; page * kPageBytes < map.size(); ++page) {
    const std::int64_t at = page * kPageBytes;
    if (!map.try_store(worker_, at, zero.span())) {
      Result<void> stored = co_await map.store(worker_, at, zero);
      if (!stored) co_return stored;
    }
    if (!forced_ || page - forced_to < forced_pages_) continue;
    forced_to = page;
    Result<void> forced = co_await map.sync(worker_, 0, map.size());
    if (!forced) co_return forced;
  }
  if (forced_) {
    Result<void> forced = co_await map.sync(worker_, 0, map.size());
    if (!forced) co_return forced;
  }
  // RocketMQ does not ask whether these two succeeded.
  Result<void> locked = co_await map.lock_memory(worker_);
  if (!locked && locked.error().code() == ErrorCode::cancelled) co_return locked;
  [[maybe_unused]] const Result<void> advised = map.advise(Advice::will_need);
  co_return Result<void>();
}

Task<Result<LogFilePointer>> FileAllocator::take(PhysicalOffset start) {
  std::int64_t may_ask = this->may_ask();
  const bool asked = request(start, may_ask);
  if (!asked) co_return ErrorCode::no_space;
  request(start + file_bytes_, may_ask);
  asked_.set();
  if (failure_) co_return *failure_;
  const RequestPointer wanted = find(start);
  Result<void> done = co_await wanted->done.wait(context_.clock.now() + kTakeTimeout);
  if (!done) co_return done.error();
  std::erase(requests_, wanted);
  co_return wanted->file;
}

std::int64_t FileAllocator::may_ask() const {
  if (!fast_fail_) return 2;
  const auto waiting = std::ranges::count_if(requests_, [this](const RequestPointer& request) {
    return request->file == nullptr && request != making_;
  });
  return pool_->free() - waiting;
}

bool FileAllocator::request(PhysicalOffset start, std::int64_t& may_ask) {
  if (find(start) != nullptr) return true;
  if (may_ask <= 0) return false;
  --may_ask;
  requests_.push_back(std::make_shared<Request>(start));
  return true;
}

FileAllocator::RequestPointer FileAllocator::find(PhysicalOffset start) const {
  const auto found = std::ranges::find(requests_, start, &Request::start);
  return found == requests_.end() ? nullptr : *found;
}

FileAllocator::RequestPointer FileAllocator::next_to_make() const {
  RequestPointer next;
  for (const RequestPointer& request : requests_) {
    if (request->file != nullptr) continue;
    if (next == nullptr || request->start < next->start) next = request;
  }
  return next;
}

}  // namespace drydock
