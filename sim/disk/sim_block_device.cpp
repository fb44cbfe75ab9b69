#include "sim/disk/sim_block_device.hpp"

#include "sim/disk/command_wait.hpp"

namespace drydock::sim {

bool SimBlockDevice::valid(std::int64_t offset, std::int64_t length) const {
  const DeviceInfo device = info();
  if (offset < 0 || length <= 0) return false;
  if (offset % device.block_bytes != 0 || length % device.block_bytes != 0) return false;
  return offset <= device.bytes && length <= device.bytes - offset;
}

Task<Result<SharedBytes>> SimBlockDevice::read(Worker& worker, std::int64_t offset,
                                               std::int64_t length) {
  if (!valid(offset, length)) co_return ErrorCode::invalid_argument;
  const AwaitedCommand::Read request{.offset = offset, .length = length};
  auto command = std::make_unique<AwaitedCommand>(request);
  Result<ByteChain> bytes = co_await CommandWait(path_, std::move(command), worker);
  if (!bytes) co_return bytes.error();
  co_return bytes->flatten();
}

Task<Result<void>> SimBlockDevice::write(Worker& worker, std::int64_t offset, SharedBytes bytes,
                                         WriteDurability durability) {
  const auto length = static_cast<std::int64_t>(bytes.size());
  if (!valid(offset, length)) co_return ErrorCode::invalid_argument;
  const bool through = durability == WriteDurability::force_unit_access;
  const bool flush_after = through && !path_.disk().options().profile.force_unit_access;
  if (flush_after) durability = WriteDurability::device_cache;
  AwaitedCommand::Write request{
      .offset = offset, .bytes = ByteChain(std::move(bytes)), .durability = durability};
  auto command = std::make_unique<AwaitedCommand>(std::move(request));
  Result<ByteChain> written = co_await CommandWait(path_, std::move(command), worker);
  if (!written) co_return written.error();
  if (!flush_after) co_return Result<void>();
  Result<void> flushed = co_await flush(worker);  // What the block layer does without FUA.
  co_return flushed;
}

Task<Result<void>> SimBlockDevice::flush(Worker& worker) {
  const AwaitedCommand::Flush request;
  auto command = std::make_unique<AwaitedCommand>(request);
  Result<ByteChain> flushed = co_await CommandWait(path_, std::move(command), worker);
  if (!flushed) co_return flushed.error();
  co_return Result<void>();
}

}  // namespace drydock::sim
