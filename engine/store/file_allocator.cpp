#include "engine/store/file_allocator.hpp"

#include <algorithm>

namespace drydock {

namespace {

constexpr Duration kTakeTimeout = Duration::ms(5000);
constexpr Duration kRetryPause = Duration::ms(1);

}  // namespace

FileAllocator::FileAllocator(Context& context, std::string directory, std::int64_t file_bytes)
    : context_(context),
      directory_(std::move(directory)),
      file_bytes_(file_bytes),
      worker_(context.workers.add("AllocateMappedFileService")) {}

Task<void> FileAllocator::run() {
  for (;;) {
    asked_.reset();
    const RequestPointer next = next_to_make();
    if (next == nullptr) {
      Result<void> woken = co_await asked_.wait();
      if (!woken) co_return;
      continue;
    }
    Result<void> made = co_await make(next);
    if (made) continue;
    if (made.error().code() == ErrorCode::cancelled) co_return;
    Result<void> slept = co_await sleep_for(context_.clock, kRetryPause);
    if (!slept) co_return;
  }
}

Task<Result<void>> FileAllocator::make(RequestPointer request) {
  const std::string path = directory_ + "/" + queue_file_name(request->start);
  Result<std::unique_ptr<MappedFile>> map = co_await context_.files.map(worker_, path, file_bytes_);
  if (!map) {
    if (!failure_) context_.observer.log(LogLevel::error, "can't make " + path);
    failure_ = map.error();
    co_return map.error();
  }
  failure_.reset();
  request->file = std::make_shared<LogFile>(std::move(*map), request->start);
  context_.observer.event(EventName::store_file_created, request->start.value());
  request->done.set();
  co_return Result<void>();
}

Task<Result<LogFilePointer>> FileAllocator::take(PhysicalOffset start) {
  const RequestPointer wanted = request(start);
  request(start + file_bytes_);
  asked_.set();
  if (failure_) co_return *failure_;
  Result<void> done = co_await wanted->done.wait(context_.clock.now() + kTakeTimeout);
  if (!done) co_return done.error();
  std::erase(requests_, wanted);
  co_return wanted->file;
}

FileAllocator::RequestPointer FileAllocator::request(PhysicalOffset start) {
  const auto found = std::ranges::find(requests_, start, &Request::start);
  if (found != requests_.end()) return *found;
  requests_.push_back(std::make_shared<Request>(start));
  return requests_.back();
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
