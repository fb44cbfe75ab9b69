// The block device interface: alignment, write-through, and the process that waits in D state.
#include <gtest/gtest.h>

#include "sim/disk/sim_block_device.hpp"
#include "tests/support/disk_world.hpp"
#include "tests/support/file_world.hpp"

namespace drydock::test {
namespace {

// A process on the disk's host, with a device of its own.
class BlockDeviceWorld : public DiskWorld {
 public:
  explicit BlockDeviceWorld(sim::DiskProfile profile = flat_profile())
      : DiskWorld({.name = "d0", .capacity_bytes = 1 << 20, .profile = std::move(profile)}),
        process(host.spawn("p")) {
    process.attach(std::make_unique<NoNetwork>(), std::make_unique<NoFiles>());
    process.start([this](Context& context) { return wait(context); });
    run_for(Duration());
  }
  Task<void> wait(Context& context) {
    worker = &context.workers.add("w");
    Result<void> told = co_await context.terminate.wait();
    ENSURE(told.has_value());
  }
  template <class T>
  Asked<T> start(Task<Result<T>> call) {
    auto asked = std::make_shared<Answer<T>>();
    process.context().scope.spawn(answer(std::move(call), asked, kernel));
    return asked;
  }
  template <class T>
  std::optional<ErrorCode> error_of(Task<Result<T>> call) {
    const Asked<T> asked = start(std::move(call));
    run_for(Duration::s(1));
    if (asked->result->has_value()) return std::nullopt;
    return asked->result->error().code();
  }

  sim::SimBlockDevice device{disk, host};
  sim::SimProcess& process;
  Worker* worker = nullptr;
};

TEST(SimBlockDevice, RefusesWhatIsNotAlignedOrOutside) {
  BlockDeviceWorld world;
  Worker& worker = *world.worker;
  EXPECT_EQ(world.error_of(world.device.read(worker, 100, 512)), ErrorCode::invalid_argument);
  EXPECT_EQ(world.error_of(world.device.read(worker, 512, 100)), ErrorCode::invalid_argument);
  EXPECT_EQ(world.error_of(world.device.read(worker, 1 << 20, 512)), ErrorCode::invalid_argument);
  EXPECT_EQ(world.error_of(world.device.read(worker, (1 << 20) - 512, 512)), std::nullopt);
}

TEST(SimBlockDevice, ReadsWhatItWroteInSectors) {
  BlockDeviceWorld world;
  const SharedBytes sector = SharedBytes::copy_of(std::string(512, 's'));
  world.start(world.device.write(*world.worker, 512, sector, WriteDurability::device_cache));
  world.run_for(Duration::ms(1));
  const Asked<SharedBytes> read = world.start(world.device.read(*world.worker, 0, 1024));
  world.run_for(Duration::ms(1));
  ASSERT_TRUE(read->done());
  EXPECT_EQ(text_of(ByteChain(**read->result)), std::string(512, '\0') + std::string(512, 's'));
}

TEST(SimBlockDevice, WriteThroughTakesAFlushOfADeviceWithoutFua) {
  sim::DiskProfile profile = flat_profile();
  profile.volatile_cache = true;
  profile.cache_bytes = 1 << 20;
  profile.force_unit_access = false;
  BlockDeviceWorld world(profile);
  const Asked<void> written = world.start(
      world.device.write(*world.worker, 0, page_of('a'), WriteDurability::force_unit_access));
  world.run_for(Duration::ms(1));
  EXPECT_EQ(written->at_ns, Duration::us(130).count_ns());
  EXPECT_EQ(world.disk.store().volatile_writes(), 0u);
}

TEST(SimBlockDevice, AWorkerInAHungCommandIsStuckAtTheDevice) {
  BlockDeviceWorld world;
  world.disk.hang(sim::DiskHang::all);
  world.start(world.device.flush(*world.worker));
  world.run_for(Duration::s(10));
  EXPECT_EQ(world.worker->wait_place(), WaitPlace::device);
  EXPECT_EQ(world.worker->waiting_since(), MonotonicTime());
  world.disk.release(sim::DiskHang::all);
  world.run_for(Duration());
  EXPECT_EQ(world.worker->wait_place(), WaitPlace::none);
}

TEST(SimBlockDevice, AKilledProcessStaysUntilTheDeviceAnswersAndItsWriteLands) {
  BlockDeviceWorld world;
  world.disk.hang(sim::DiskHang::all);
  world.start(world.device.write(*world.worker, 0, page_of('a'), WriteDurability::device_cache));
  world.run_for(Duration::ms(1));
  world.process.kill();
  world.run_for(Duration::s(100));
  EXPECT_TRUE(world.process.alive());
  world.disk.release(sim::DiskHang::all);
  world.run_for(Duration());
  EXPECT_FALSE(world.process.alive());
  EXPECT_EQ(world.on_device(0), 'a');
}

TEST(SimBlockDevice, APowerLossOfTheHostEndsAHungProcessAtOnce) {
  BlockDeviceWorld world;
  world.disk.hang(sim::DiskHang::all);
  world.start(world.device.write(*world.worker, 0, page_of('a'), WriteDurability::device_cache));
  world.run_for(Duration::ms(1));
  world.host.lose_power();
  world.run_for(Duration());
  EXPECT_FALSE(world.process.alive());
}

}  // namespace
}  // namespace drydock::test
