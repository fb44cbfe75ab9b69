#include "scenarios/audit/queue_files.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace drydock::scenarios {
namespace {

constexpr std::int64_t kEntriesAtOnce = 1'024;
constexpr std::int64_t kQueueIdMax = std::numeric_limits<std::int32_t>::max();
// More missing than this between the files of a queue, or than one of its files, is no queue.
constexpr std::int64_t kGapBytesMax = std::int64_t{1} << 26;

class QueueReader {
 public:
  QueueReader(Context& context, Worker& worker, const QueueFilesRequest& request, QueueNames& names,
              reports::FinalStore& store, std::vector<QueueEntries>& queues)
      : context_(context),
        worker_(worker),
        request_(request),
        names_(names),
        store_(store),
        ends_(ends_in_log(store)),
        queues_(queues) {}

  Task<bool> read_all() {
    Result<std::vector<FileInfo>> topics =
        co_await context_.files.list(worker_, request_.directory);
    if (!topics) {
      if (topics.error().code() == ErrorCode::not_found) co_return true;
      co_return failed("list", request_.directory, topics.error());
    }
    for (const FileInfo& topic : *topics) {
      if (!topic.is_directory) continue;
      const bool read = co_await read_topic(topic.name);
      if (!read) co_return false;
    }
    co_return true;
  }

 private:
  Task<bool> read_topic(std::string topic) {
    const std::string path = request_.directory + "/" + topic;
    Result<std::vector<FileInfo>> ids = co_await context_.files.list(worker_, path);
    if (!ids) co_return failed("list", path, ids.error());
    for (const FileInfo& id : *ids) {
      const std::int64_t number = position_of_name(id.name);
      if (!id.is_directory || number < 0 || number > kQueueIdMax) continue;
      queues_.push_back({names_.index_of(topic, static_cast<std::int32_t>(number)), 0, {}});
      const bool read = co_await read_queue(path + "/" + id.name, queues_.back());
      if (!read) co_return false;
    }
    co_return true;
  }

  Task<bool> read_queue(std::string path, QueueEntries& queue) {
    Result<std::vector<FileInfo>> files = co_await context_.files.list(worker_, path);
    if (!files) co_return failed("list", path, files.error());
    std::int64_t next = -1;
    std::int64_t may_miss = std::max(kGapBytesMax, request_.file_bytes);
    for (const FileInfo& file : *files) {
      const std::int64_t begin = position_of_name(file.name);
      if (file.is_directory || begin < 0) continue;
      if (begin > std::numeric_limits<std::int64_t>::max() - request_.file_bytes) {
        store_.note = path + "/" + file.name + " begins where no queue ends";
        co_return false;
      }
      if (next < 0) {
        queue.first_offset = begin / kQueueEntryBytes;
      } else if (begin < next || begin - next > may_miss) {
        store_.note = path + "/" + file.name + " does not follow the file in front of it";
        co_return false;
      } else {
        may_miss -= begin - next;
      }
      if (ended(queue)) break;
      // What is missing between the files is missing in the queue.
      const std::int64_t in_front = begin / kQueueEntryBytes - queue.first_offset;
      queue.entries.resize(static_cast<std::size_t>(in_front));
      const bool read = co_await read_file(path + "/" + file.name, queue);
      if (!read) co_return false;
      next = begin + request_.file_bytes;
    }
    co_return true;
  }

  // Up to the end of the file, or to the zeros behind everything that matters.
  Task<bool> read_file(std::string path, QueueEntries& queue) {
    const OpenOptions options{.mode = OpenMode::read_only};
    Result<std::unique_ptr<File>> file = co_await context_.files.open(worker_, path, options);
    if (!file) co_return failed("open", path, file.error());
    std::int64_t at = 0;
    while (at < request_.file_bytes && !ended(queue)) {
      const std::int64_t length =
          std::min(kEntriesAtOnce * kQueueEntryBytes, request_.file_bytes - at);
      Result<ByteChain> bytes = co_await (*file)->read_at(worker_, at, length);
      if (!bytes) co_return failed("read", path, bytes.error());
      if (bytes->empty()) break;
      append(bytes->flatten().span(), queue);
      at += length;
    }
    co_return true;
  }

  bool ended(const QueueEntries& queue) const {
    if (queue.entries.empty() || queue.entries.back().present()) return false;
    const auto number = static_cast<std::size_t>(queue.queue);
    const std::int64_t end_in_log = number < ends_.size() ? ends_[number] : 0;
    return queue.first_offset + static_cast<std::int64_t>(queue.entries.size()) > end_in_log;
  }

  static void append(std::span<const std::byte> bytes, QueueEntries& queue) {
    constexpr auto kBytes = static_cast<std::size_t>(kQueueEntryBytes);
    for (std::size_t at = 0; at + kBytes <= bytes.size(); at += kBytes) {
      queue.entries.push_back(decode_queue_entry(bytes.subspan(at, kBytes)));
    }
  }

  bool failed(const char* what, const std::string& path, Error error) {
    store_.note =
        std::string(what) + " " + path + ": " + std::string(drydock::name_of(error.code()));
    return false;
  }

  Context& context_;
  Worker& worker_;
  const QueueFilesRequest& request_;
  QueueNames& names_;
  reports::FinalStore& store_;
  std::vector<std::int64_t> ends_;
  std::vector<QueueEntries>& queues_;
};

}  // namespace

std::int64_t position_of_name(const std::string& name) {
  std::int64_t position = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), position);
  if (error != std::errc() || end != name.data() + name.size()) return -1;
  return position;
}

Task<bool> read_queues(Context& context, Worker& worker, QueueFilesRequest request,
                       QueueNames& names, reports::FinalStore& store,
                       std::vector<QueueEntries>& queues) {
  QueueReader reader(context, worker, request, names, store, queues);
  const bool read = co_await reader.read_all();
  co_return read;
}

}  // namespace drydock::scenarios
