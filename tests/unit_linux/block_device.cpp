// Block devices over a file: blocks, durability, what is refused.
#include "engine/linux/block_device.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "tests/unit_linux/linux_test.hpp"

namespace drydock::on_linux::test {
namespace {

class Device : public FileIoTest {
 protected:
  static constexpr std::int64_t kBytes = 1 << 20;

  // Runs `program` with a device of kBytes bytes.
  void run_with(std::function<Task<void>(Worker&, BlockDevice&)> program) {
    const OwnedDescriptor file(::open(on_disk("/disk").c_str(), O_RDWR | O_CREAT, 0600));
    ASSERT_EQ(::ftruncate(file.get(), kBytes), 0);
    LinuxProcess& process = world.spawn("agent", {.root = directory.path()});
    process.start([&process, program](Context& context) -> Task<void> {
      Worker& worker = context.workers.add("w");
      Result<std::unique_ptr<BlockDevice>> device = co_await process.open_device(worker, "/disk");
      EXPECT_TRUE(device);
      co_await program(worker, **device);
    });
    run_until_dead(process);
  }
};
INSTANTIATE_FOR_BOTH(Device);

TEST_P(Device, BlocksReadAsTheyWereWritten) {
  run_with([](Worker& worker, BlockDevice& device) -> Task<void> {
    const std::int64_t unit = device.info().block_bytes;
    EXPECT_EQ(device.info().bytes, kBytes);
    EXPECT_GE(device.info().atomic_write_bytes, unit);
    EXPECT_FALSE(device.info().reservations);
    const SharedBytes text = SharedBytes::copy_of(std::string(static_cast<std::size_t>(unit), 'b'));
    Result<void> done = co_await device.write(worker, unit, text, WriteDurability::device_cache);
    EXPECT_TRUE(done);
    Result<void> forced =
        co_await device.write(worker, 3 * unit, text, WriteDurability::force_unit_access);
    EXPECT_TRUE(forced);
    Result<void> flushed = co_await device.flush(worker);
    EXPECT_TRUE(flushed);
    for (const std::int64_t block : {0, 1, 2, 3}) {
      Result<SharedBytes> read = co_await device.read(worker, block * unit, unit);
      const char expected = block % 2 == 1 ? 'b' : '\0';
      EXPECT_EQ(read.value().span()[0], static_cast<std::byte>(expected));
      EXPECT_EQ(read.value().size(), static_cast<std::size_t>(unit));
    }
  });
}

TEST_P(Device, WhatIsNoRangeOfBlocksIsRefused) {
  run_with([](Worker& worker, BlockDevice& device) -> Task<void> {
    const std::int64_t unit = device.info().block_bytes;
    Result<SharedBytes> read = co_await device.read(worker, 1, unit);
    EXPECT_EQ(code_of(read), ErrorCode::invalid_argument);
    Result<SharedBytes> part = co_await device.read(worker, 0, unit - 1);
    EXPECT_EQ(code_of(part), ErrorCode::invalid_argument);
    Result<SharedBytes> behind = co_await device.read(worker, kBytes, unit);
    EXPECT_EQ(code_of(behind), ErrorCode::invalid_argument);
    Result<void> written = co_await device.write(
        worker, kBytes - unit, SharedBytes::zeros(static_cast<std::size_t>(2 * unit)),
        WriteDurability::device_cache);
    EXPECT_EQ(code_of(written), ErrorCode::invalid_argument);
  });
}

TEST_P(Device, OpeningWhatIsNoDevice) {
  run([&](Context& context) -> Task<void> {
    Worker& worker = context.workers.add("w");
    Operations& operations = world.operations();
    Result<std::unique_ptr<BlockDevice>> device =
        co_await open_block_device(operations, worker, on_disk("/none"));
    EXPECT_EQ(code_of(device), ErrorCode::not_found);
    Result<std::unique_ptr<BlockDevice>> null =
        co_await open_block_device(operations, worker, "/dev/null");
    EXPECT_EQ(code_of(null), ErrorCode::invalid_argument);
  });
}

}  // namespace
}  // namespace drydock::on_linux::test
