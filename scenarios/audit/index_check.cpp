#include "scenarios/audit/index_check.hpp"

#include <algorithm>
#include <vector>

namespace drydock::scenarios {
namespace {

constexpr std::int64_t kHeaderBytes = 40;
constexpr std::int64_t kSlotBytes = 4;
constexpr std::int64_t kEntryBytes = 20;
constexpr std::int64_t kCountAt = 36;  // In the header.

std::uint64_t big_endian(std::span<const std::byte> bytes, std::int64_t at, std::int64_t count) {
  std::uint64_t value = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    value = value << 8 | std::to_integer<std::uint64_t>(bytes[static_cast<std::size_t>(at + i)]);
  }
  return value;
}
std::int64_t integer_at(std::span<const std::byte> bytes, std::int64_t at) {
  return static_cast<std::int32_t>(big_endian(bytes, at, 4));
}

}  // namespace

std::uint32_t index_hash(std::string_view topic, std::string_view key) {
  std::uint32_t hash = 0;
  for (const std::string_view part : {topic, std::string_view("#"), key}) {
    for (const char c : part) hash = hash * 31 + static_cast<unsigned char>(c);
  }
  const auto sign = static_cast<std::int32_t>(hash);
  if (sign >= 0) return hash;
  return hash == 0x8000'0000u ? 0 : ~hash + 1;
}

std::int64_t index_entries_used(std::span<const std::byte> header, std::int64_t entries_max) {
  if (std::ssize(header) < kHeaderBytes) return 0;
  const std::int64_t count = integer_at(header, kCountAt);
  return count < 0 || count > entries_max ? 0 : count;
}

IndexWalk look_up(std::span<const std::byte> file, std::int64_t slots, std::uint32_t hash,
                  std::int64_t physical_offset) {
  const std::int64_t entries_at = kHeaderBytes + slots * kSlotBytes;
  if (std::ssize(file) < entries_at) return IndexWalk::absent;
  const std::int64_t used = (std::ssize(file) - entries_at) / kEntryBytes;
  const std::int64_t slot = kHeaderBytes + static_cast<std::int64_t>(hash) % slots * kSlotBytes;
  std::int64_t number = integer_at(file, slot);
  for (std::int64_t steps = 0; number > 0 && number < used; ++steps) {
    if (steps > used) return IndexWalk::endless;
    const std::int64_t at = entries_at + number * kEntryBytes;
    const auto place = static_cast<std::int64_t>(big_endian(file, at + 4, 8));
    if (big_endian(file, at, 4) == hash && place == physical_offset) return IndexWalk::found;
    const std::int64_t previous = integer_at(file, at + 16);
    if (previous == number) return IndexWalk::absent;
    number = previous;
  }
  return IndexWalk::absent;
}

namespace {

class IndexCheck {
 public:
  IndexCheck(Context& context, Worker& worker, IndexRequest request, reports::FinalStore& store)
      : context_(context), worker_(worker), request_(std::move(request)), store_(store) {}

  Task<bool> run() {
    Result<std::vector<FileInfo>> files = co_await context_.files.list(worker_, request_.directory);
    if (!files && files.error().code() != ErrorCode::not_found) {
      co_return failed("list", request_.directory, files.error());
    }
    found_.assign(store_.copies.size(), false);
    endless_.assign(store_.copies.size(), false);
    if (files) {
      for (const FileInfo& file : *files) {
        if (file.is_directory) continue;
        const bool read = co_await read_file(request_.directory + "/" + file.name);
        if (!read) co_return false;
      }
    }
    for (std::size_t i = 0; i < store_.copies.size(); ++i) {
      if (!asked_for(store_.copies[i])) continue;
      store_.index_missed += found_[i] ? 0 : 1;
      store_.index_endless += endless_[i] ? 1 : 0;
    }
    co_return true;
  }

 private:
  static bool asked_for(const reports::StoredCopy& copy) {
    return copy.key_known && copy.queue >= 0;
  }

  Task<bool> read_file(std::string path) {
    const OpenOptions options{.mode = OpenMode::read_only};
    Result<std::unique_ptr<File>> file = co_await context_.files.open(worker_, path, options);
    if (!file) co_return failed("open", path, file.error());
    Result<ByteChain> header = co_await (*file)->read_at(worker_, 0, kHeaderBytes);
    if (!header) co_return failed("read", path, header.error());
    const SharedBytes head = header->flatten();
    const std::int64_t used = index_entries_used(head.span(), request_.entries_max);
    const std::int64_t length = kHeaderBytes + request_.slots * kSlotBytes + used * kEntryBytes;
    if (length > kIndexFileBytesMax) {
      store_.note = path +
                    ": the judge reads at most 256 MiB of an index file; smaller ones come "
                    "with maxHashSlotNum and maxIndexNum";
      co_return false;
    }
    Result<ByteChain> bytes = co_await (*file)->read_at(worker_, 0, length);
    if (!bytes) co_return failed("read", path, bytes.error());
    const SharedBytes whole = bytes->flatten();
    look_all_up(whole.span());
    co_return true;
  }

  void look_all_up(std::span<const std::byte> file) {
    for (std::size_t i = 0; i < store_.copies.size(); ++i) {
      const reports::StoredCopy& copy = store_.copies[i];
      if (!asked_for(copy) || found_[i]) continue;
      const std::string& topic = store_.queues[static_cast<std::size_t>(copy.queue)].topic;
      const std::uint32_t hash = index_hash(topic, std::to_string(copy.key));
      const IndexWalk walk = look_up(file, request_.slots, hash, copy.physical_offset);
      found_[i] = walk == IndexWalk::found;
      endless_[i] = endless_[i] || walk == IndexWalk::endless;
    }
  }

  bool failed(const char* what, const std::string& path, Error error) {
    store_.note =
        std::string(what) + " " + path + ": " + std::string(drydock::name_of(error.code()));
    return false;
  }

  Context& context_;
  Worker& worker_;
  IndexRequest request_;
  reports::FinalStore& store_;
  std::vector<bool> found_;
  std::vector<bool> endless_;
};

}  // namespace

Task<bool> check_index(Context& context, Worker& worker, IndexRequest request,
                       reports::FinalStore& store) {
  IndexCheck check(context, worker, std::move(request), store);
  const bool read = co_await check.run();
  co_return read;
}

}  // namespace drydock::scenarios
