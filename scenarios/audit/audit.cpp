#include "scenarios/audit/audit.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "engine/runtime/sync.hpp"
#include "scenarios/audit/log_walk.hpp"
#include "scenarios/audit/queue_files.hpp"

namespace drydock::scenarios {
namespace {

// A message may be acknowledged before it is in its queue: dispatch follows the log within some
// milliseconds.
constexpr Duration kDispatchTime = Duration::s(1);
// Unless it waits for a disk or for memory: then it is looked at so often.
constexpr Duration kLookInterval = Duration::ms(100);

class Audit {
 public:
  Audit(Context& context, AuditRequest request, reports::FinalStore& store)
      : context_(context),
        worker_(context.workers.add("judge")),
        request_(std::move(request)),
        store_(store),
        names_(store) {}

  Task<void> run() {
    Result<void> slept = co_await sleep_for(context_.clock, kDispatchTime);
    if (!slept) co_return;
    const bool dispatched = co_await wait_for_dispatch();
    if (!dispatched) co_return;
    const bool log = co_await read_log();
    if (!log) co_return;
    std::vector<QueueEntries> queues;
    const QueueFilesRequest files{request_.consume_queue_path, whole_entries()};
    const bool read = co_await read_queues(context_, worker_, files, names_, store_, queues);
    if (!read) co_return;
    const bool followed = co_await follow_into_damage(queues);
    if (!followed) co_return;
    std::vector<std::int64_t> ends = ends_in_log(store_);
    for (const QueueEntries& queue : queues) {
      check_queue(queue, ends[static_cast<std::size_t>(queue.queue)], store_);
    }
    if (request_.index) {
      const bool looked_up = co_await check_index(context_, worker_, *request_.index, store_);
      if (!looked_up) co_return;
    }
    store_.read = true;
  }

 private:
  // False: cancelled. Whoever ends the judge before that finds out why it has read nothing.
  Task<bool> wait_for_dispatch() {
    if (!request_.dispatching) co_return true;
    while (request_.dispatching()) {
      store_.note = "the broker is still at dispatching its log; the phase judge needs more time";
      Result<void> slept = co_await sleep_for(context_.clock, kLookInterval);
      if (!slept) co_return false;
    }
    store_.note.clear();
    co_return true;
  }

  // Configured sizes are rounded up.
  std::int64_t whole_entries() const {
    return (request_.queue_file_bytes + kQueueEntryBytes - 1) / kQueueEntryBytes * kQueueEntryBytes;
  }

  Task<bool> read_log() {
    Result<std::vector<FileInfo>> files =
        co_await context_.files.list(worker_, request_.commit_log_path);
    if (!files) co_return failed("list", request_.commit_log_path, files.error());
    std::int64_t next = -1;
    for (const FileInfo& info : *files) {
      const std::int64_t begin = position_of_name(info.name);
      if (info.is_directory || begin < 0) continue;
      if (begin >= request_.end_offset) break;
      if (next < 0) store_.begin_offset = begin;
      if (next >= 0 && begin != next)
        store_.damaged.push_back({next, begin - next, "files are missing"});
      log_files_.push_back({begin, request_.commit_log_path + "/" + info.name});
      const bool read = co_await walk_file(log_files_.back());
      if (!read) co_return false;
      next = begin + request_.file_bytes;
    }
    const std::int64_t from = std::max<std::int64_t>(next, 0);
    if (request_.end_offset > from) {
      store_.damaged.push_back({from, request_.end_offset - from, "the last files are missing"});
    }
    store_.end_offset = request_.end_offset;
    store_.expired_to = request_.expired_to;
    co_return true;
  }

  struct LogFile {
    std::int64_t begin;
    std::string path;
  };

  Task<bool> walk_file(LogFile file) {
    const std::int64_t length = end_of(file) - file.begin;
    Result<SharedBytes> bytes = co_await read(file, 0, length);
    if (!bytes) co_return failed("read", file.path, bytes.error());
    const auto present = static_cast<std::int64_t>(bytes->size());
    if (present != length) {
      store_.damaged.push_back({file.begin + present, length - present, "the file ends early"});
    }
    walk_log_file(file.begin, bytes->span(), names_, store_);
    co_return true;
  }

  // Readers do not walk the log: behind a damaged record they still get what an entry leads to.
  Task<bool> follow_into_damage(const std::vector<QueueEntries>& queues) {
    std::vector<QueueEntry> into;
    for (const QueueEntries& queue : queues) {
      std::ranges::copy_if(
          queue.entries, std::back_inserter(into), [this](const QueueEntry& entry) {
            return entry.present() && !entry.filler() && damaged(entry.physical_offset);
          });
    }
    std::ranges::sort(into, {}, &QueueEntry::physical_offset);
    std::int64_t last = -1;
    for (const QueueEntry& entry : into) {
      if (std::exchange(last, entry.physical_offset) == entry.physical_offset) continue;
      const bool read = co_await read_message(entry);
      if (!read) co_return false;
    }
    std::ranges::sort(store_.copies, {}, &reports::StoredCopy::physical_offset);
    co_return true;
  }

  bool damaged(std::int64_t physical_offset) const {
    return std::ranges::any_of(store_.damaged, [&](const reports::DamagedRange& range) {
      return physical_offset >= range.physical_offset &&
             physical_offset < range.physical_offset + range.bytes;
    });
  }

  Task<bool> read_message(QueueEntry entry) {
    const auto found = std::ranges::find_if(log_files_, [&](const LogFile& candidate) {
      return candidate.begin <= entry.physical_offset && entry.physical_offset < end_of(candidate);
    });
    if (found == log_files_.end()) co_return true;
    const LogFile file = *found;
    const std::int64_t at = entry.physical_offset - file.begin;
    const std::int64_t length =
        std::min<std::int64_t>(entry.record_bytes, end_of(file) - entry.physical_offset);
    Result<SharedBytes> bytes = co_await read(file, at, length);
    if (!bytes) co_return failed("read", file.path, bytes.error());
    add_message_at(entry.physical_offset, bytes->span(), names_, store_);
    co_return true;
  }

  std::int64_t end_of(const LogFile& file) const {
    return std::min(file.begin + request_.file_bytes, request_.end_offset);
  }

  Task<Result<SharedBytes>> read(LogFile file, std::int64_t at, std::int64_t length) {
    const OpenOptions options{.mode = OpenMode::read_only};
    Result<std::unique_ptr<File>> opened =
        co_await context_.files.open(worker_, file.path, options);
    if (!opened) co_return opened.error();
    Result<ByteChain> bytes = co_await (*opened)->read_at(worker_, at, length);
    if (!bytes) co_return bytes.error();
    co_return bytes->flatten();
  }

  bool failed(const char* what, const std::string& path, Error error) {
    store_.note =
        std::string(what) + " " + path + ": " + std::string(drydock::name_of(error.code()));
    return false;
  }

  Context& context_;
  Worker& worker_;
  AuditRequest request_;
  reports::FinalStore& store_;
  QueueNames names_;
  std::vector<LogFile> log_files_;  // Of those that the log has, in order.
};

}  // namespace

Task<void> run_audit(Context& context, AuditRequest request, reports::FinalStore& store) {
  Audit audit(context, std::move(request), store);
  co_await audit.run();
}

}  // namespace drydock::scenarios
