#include "scenarios/workload/records.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "scenarios/workload/bodies.hpp"

namespace drydock::scenarios {
namespace {

static_assert(std::endian::native == std::endian::little);
constexpr std::size_t kKeyBytes = sizeof(std::uint64_t);
// What is read at once.
constexpr std::int64_t kPieceBytes = 1 << 20;

void find_in_piece(std::span<const std::byte> bytes, std::int64_t begin, std::size_t record_bytes,
                   std::vector<FoundRecord>& found) {
  for (std::size_t at = 0; at + record_bytes <= bytes.size(); at += record_bytes) {
    const auto key = key_of_record(bytes.subspan(at, record_bytes));
    if (key) found.push_back({begin + static_cast<std::int64_t>(at), *key});
  }
}

}  // namespace

SharedBytes record_of(std::uint64_t key, std::size_t size) {
  SharedBytes record = body_of(key, size);
  std::memcpy(record.writable().data(), &key, kKeyBytes);
  return record;
}

std::optional<std::uint64_t> key_of_record(std::span<const std::byte> bytes) {
  std::uint64_t key = 0;
  if (bytes.size() < static_cast<std::size_t>(kRecordBytesMin)) return std::nullopt;
  std::memcpy(&key, bytes.data(), kKeyBytes);
  if (key == 0) return std::nullopt;
  const SharedBytes whole = record_of(key, bytes.size());
  return std::ranges::equal(whole.span(), bytes) ? std::optional(key) : std::nullopt;
}

Task<Result<std::vector<FoundRecord>>> find_records(Context& context, Worker& worker,
                                                    RecordFile file) {
  std::vector<FoundRecord> found;
  const OpenOptions options{.mode = OpenMode::read_only, .caching = file.caching};
  Result<std::unique_ptr<File>> opened = co_await context.files.open(worker, file.path, options);
  if (!opened && opened.error().code() == ErrorCode::not_found) co_return found;
  if (!opened) co_return opened.error();
  const std::int64_t records = std::max<std::int64_t>(1, kPieceBytes / file.record_bytes);
  const std::int64_t piece = records * file.record_bytes;
  for (std::int64_t at = 0;; at += piece) {
    Result<ByteChain> bytes = co_await (*opened)->read_at(worker, at, piece);
    if (!bytes) co_return bytes.error();
    const SharedBytes flat = bytes->flatten();
    find_in_piece(flat.span(), at, static_cast<std::size_t>(file.record_bytes), found);
    if (static_cast<std::int64_t>(flat.size()) < piece) break;
  }
  co_return found;
}

}  // namespace drydock::scenarios
