#include "scenarios/workload/reader_program.hpp"

#include <algorithm>
#include <memory>
#include <string>

#include "engine/runtime/sync.hpp"
#include "scenarios/workload/pace.hpp"

namespace drydock::scenarios {
namespace {

constexpr std::int64_t kPrepareBytes = 1 << 20;

class Reader {
 public:
  Reader(Context& context, const ReaderSpec& spec)
      : context_(context),
        spec_(spec),
        places_(context.random.stream("places")),
        worker_(context.workers.add("reader-0")) {}

  Task<void> run() {
    if (spec_.follows.empty()) {
      const bool made = co_await make_file();
      if (!made) co_return;
    }
    const MonotonicTime begin = context_.clock.now() + spec_.after;
    Result<void> told_to_stop = co_await context_.terminate.wait(begin);
    if (told_to_stop || told_to_stop.error().code() == ErrorCode::cancelled) co_return;
    started_ = context_.clock.now();
    TaskScope threads(context_.scope);
    threads.spawn(read(worker_));
    for (int i = 1; i < spec_.threads; ++i) {
      threads.spawn(read(context_.workers.add("reader-" + std::to_string(i))));
    }
    co_await threads.join();
  }

 private:
  // Written past the page cache, which holds nothing of it afterwards.
  Task<bool> make_file() {
    const OpenOptions options{.create = Create::if_missing, .caching = Caching::direct};
    Result<std::unique_ptr<File>> file = co_await context_.files.open(worker_, spec_.file, options);
    if (!file) co_return failed("could not be made", file.error());
    Result<std::int64_t> size = (*file)->size();
    if (!size) co_return failed("could not be made", size.error());
    const SharedBytes zeros = SharedBytes::zeros(static_cast<std::size_t>(kPrepareBytes));
    for (std::int64_t at = *size; at < spec_.file_bytes; at += kPrepareBytes) {
      const std::int64_t length = std::min(kPrepareBytes, spec_.file_bytes - at);
      SharedBytes piece = zeros.slice(0, static_cast<std::size_t>(length));
      Result<void> written = co_await (*file)->write_at(worker_, at, std::move(piece));
      if (!written) co_return failed("could not be written", written.error());
    }
    co_return true;
  }

  Task<void> read(Worker& worker) {
    const OpenOptions options{.mode = OpenMode::read_only};
    Result<std::unique_ptr<File>> file = co_await context_.files.open(worker, spec_.file, options);
    if (!file) co_return;
    while (!context_.terminate.is_set()) {
      const MonotonicTime due = due_time(made_++);
      if (due > context_.clock.now()) {
        Result<void> told_to_stop = co_await context_.terminate.wait(due);
        if (told_to_stop || told_to_stop.error().code() == ErrorCode::cancelled) co_return;
      }
      Result<ByteChain> bytes = co_await (*file)->read_at(worker, next_place(), spec_.block_bytes);
      if (bytes) continue;
      failed("read failed", bytes.error());
      co_return;
    }
  }

  MonotonicTime due_time(std::int64_t index) const {
    return started_ + pace(index * spec_.block_bytes, spec_.bytes_per_second);
  }

  std::int64_t next_place() {
    const std::int64_t blocks = spec_.file_bytes / spec_.block_bytes;
    const std::int64_t block = spec_.pattern == ReadPattern::random ? places_.between(0, blocks - 1)
                                                                    : sequential_++ % blocks;
    return block * spec_.block_bytes;
  }

  bool failed(const char* what, Error error) {
    context_.observer.log(LogLevel::error, spec_.file + " " + what + ": " +
                                               std::string(drydock::name_of(error.code())));
    return false;
  }

  Context& context_;
  const ReaderSpec& spec_;
  RandomStream places_;
  Worker& worker_;
  MonotonicTime started_;
  std::int64_t made_ = 0;
  std::int64_t sequential_ = 0;
};

}  // namespace

Task<void> run_reader(Context& context, const ReaderSpec& spec) {
  Reader reader(context, spec);
  co_await reader.run();
}

}  // namespace drydock::scenarios
