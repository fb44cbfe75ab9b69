#include "scenarios/audit/audit.hpp"

#include <algorithm>
#include <charconv>

#include "scenarios/audit/log_walk.hpp"

namespace drydock::scenarios {
namespace {

// The physical offset that a file is named after, or -1.
std::int64_t offset_of_name(const std::string& name) {
  std::int64_t offset = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), offset);
  if (error != std::errc() || end != name.data() + name.size()) return -1;
  return offset;
}

std::string failed(const char* what, const std::string& path, Error error) {
  return std::string(what) + " " + path + ": " + std::string(drydock::name_of(error.code()));
}

// Reads `length` bytes from the start of a file and walks them. False: `store.note` is set.
Task<bool> audit_file(Context& context, Worker& worker, std::string path, std::int64_t begin,
                      std::int64_t length, reports::FinalStore& store) {
  OpenOptions options;
  options.mode = OpenMode::read_only;
  Result<std::unique_ptr<File>> file = co_await context.files.open(worker, path, options);
  if (!file) {
    store.note = failed("open", path, file.error());
    co_return false;
  }
  Result<ByteChain> bytes = co_await (*file)->read_at(worker, 0, length);
  if (!bytes) {
    store.note = failed("read", path, bytes.error());
    co_return false;
  }
  if (static_cast<std::int64_t>(bytes->size()) != length) {
    store.damaged.push_back({begin + static_cast<std::int64_t>(bytes->size()),
                             length - static_cast<std::int64_t>(bytes->size()),
                             "the file ends early"});
  }
  const SharedBytes flat = bytes->flatten();
  walk_log_file(begin, flat.span(), store);
  co_return true;
}

}  // namespace

Task<void> run_audit(Context& context, AuditRequest request, reports::FinalStore& store) {
  Worker& worker = context.workers.add("judge");
  Result<std::vector<FileInfo>> files =
      co_await context.files.list(worker, request.commit_log_path);
  if (!files) {
    store.note = failed("list", request.commit_log_path, files.error());
    co_return;
  }
  std::int64_t next = -1;
  for (const FileInfo& info : *files) {
    const std::int64_t begin = offset_of_name(info.name);
    if (info.is_directory || begin < 0) continue;
    if (begin >= request.end_offset) break;
    if (next < 0) store.begin_offset = begin;
    if (next >= 0 && begin != next)
      store.damaged.push_back({next, begin - next, "files are missing"});
    const std::int64_t length = std::min(request.file_bytes, request.end_offset - begin);
    const std::string path = request.commit_log_path + "/" + info.name;
    const bool read = co_await audit_file(context, worker, path, begin, length, store);
    if (!read) co_return;
    next = begin + request.file_bytes;
  }
  if (next < request.end_offset) {
    const std::int64_t from = std::max<std::int64_t>(next, 0);
    if (request.end_offset > from) {
      store.damaged.push_back({from, request.end_offset - from, "the last files are missing"});
    }
  }
  store.end_offset = request.end_offset;
  store.read = true;
}

}  // namespace drydock::scenarios
