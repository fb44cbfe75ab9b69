#include "scenarios/world_sim/disk_tenant.hpp"

#include <algorithm>

namespace drydock::scenarios {
namespace {

constexpr std::int64_t kBlockBytes = 4096;

// So much more makes `percent` used.
std::int64_t bytes_to_take(const SpaceInfo& space, std::int32_t percent) {
  const std::int64_t used = space.total_bytes - space.free_bytes;
  const std::int64_t all = used + space.usable_bytes;
  const std::int64_t wanted = all / 100 * percent + all % 100 * percent / 100;
  const std::int64_t lacking = std::max<std::int64_t>(0, wanted - used);
  const std::int64_t blocks = (lacking + kBlockBytes - 1) / kBlockBytes;
  return std::min(blocks * kBlockBytes, space.usable_bytes / kBlockBytes * kBlockBytes);
}

// A file system has its own needs, for the tree of a large file: of the last blocks the tenant
// gets what it can.
Task<void> allocate_most(Worker& worker, File& file, std::int64_t bytes) {
  std::int64_t at = 0;
  for (std::int64_t step = bytes; step >= kBlockBytes;) {
    Result<void> taken = co_await file.allocate(worker, at, step);
    if (taken) {
      at += step;
      step = std::min(step, (bytes - at) / kBlockBytes * kBlockBytes);
    } else if (taken.error().code() == ErrorCode::no_space) {
      step = step / 2 / kBlockBytes * kBlockBytes;
    } else {
      co_return;
    }
  }
}

}  // namespace

std::string tenant_file(std::size_t fault) { return "/tenant." + std::to_string(fault); }

Task<void> take_room(Context& context, std::string file, std::int32_t used_percent) {
  Worker& worker = context.workers.add("tenant");
  const OpenOptions options{.create = Create::if_missing};
  Result<std::unique_ptr<File>> opened = co_await context.files.open(worker, file, options);
  if (!opened) co_return;
  Result<SpaceInfo> space = co_await context.files.space(worker, "/");
  if (!space) co_return;
  const std::int64_t bytes = bytes_to_take(*space, used_percent);
  if (bytes > 0) co_await allocate_most(worker, **opened, bytes);
}

Task<void> give_room_back(Context& context, std::string file) {
  Worker& worker = context.workers.add("tenant");
  Result<void> removed = co_await context.files.remove(worker, file);
  if (!removed) context.observer.log(LogLevel::warning, "can't remove " + file);
}

}  // namespace drydock::scenarios
