// What a node agent may do to its host's disks. Nothing on Linux offers it yet: those tests say
// that they were skipped.
#include "engine/runtime/host_control.hpp"

#include "tests/contract/contract.hpp"
#include "tests/contract/node.hpp"

namespace drydock::contract {
namespace {

constexpr OpenOptions kMake{.create = Create::if_missing};

using Hosts = ::testing::Types<SimulatedNodes, LinuxNodes>;
template <class Which>
class HostControlContract : public ::testing::Test {
 protected:
  void SetUp() override {
    answers().note(nodes_ == nullptr ? "linux" : "simulation", "mount a disk",
                   nodes_ == nullptr ? "not offered" : "ok");
    if (nodes_ == nullptr) {
      GTEST_SKIP() << "optional: engine/linux does not offer mount(2), umount(2) and BLKFLSBUF yet";
    }
  }
  void run(int host, Nodes::Program program) {
    EXPECT_TRUE(nodes_->run(host, std::move(program))) << "it hangs";
  }

 private:
  std::unique_ptr<Nodes> nodes_ = Which::make();
};
TYPED_TEST_SUITE(HostControlContract, Hosts, WorldNames);

TYPED_TEST(HostControlContract, AMountedDiskShowsItsFilesAndAnUnmountedOneMoves) {
  this->run(0, [](Worker& worker, HostControl& control, FileSystem& files) -> Task<void> {
    const MountOptions options;
    Result<void> mounted = co_await control.mount(worker, kSharedDevice, "/data", options);
    EXPECT_TRUE(mounted);
    EXPECT_EQ(control.attached().value().at(0).mount_point, "/data");
    {
      Result<std::unique_ptr<File>> file = co_await files.open(worker, "/data/f", kMake);
      const SharedBytes bytes = bytes_of("moved");
      Result<void> written = co_await (*file)->write_at(worker, 0, bytes);
      EXPECT_TRUE(written);
      Result<void> in_use = co_await control.unmount(worker, "/data");
      EXPECT_EQ(code_of(in_use), ErrorCode::busy);
    }
    Result<void> unmounted = co_await control.unmount(worker, "/data");
    EXPECT_TRUE(unmounted);
    EXPECT_EQ(control.attached().value().at(0).mount_point, "");
    Result<std::unique_ptr<File>> gone = co_await files.open(worker, "/data/f", OpenOptions());
    EXPECT_EQ(code_of(gone), ErrorCode::not_found);
  });
  this->run(1, [](Worker& worker, HostControl& control, FileSystem& files) -> Task<void> {
    Result<void> checked = co_await control.check(worker, kSharedDevice);
    EXPECT_TRUE(checked);
    const MountOptions options;
    Result<void> mounted = co_await control.mount(worker, kSharedDevice, "/elsewhere", options);
    EXPECT_TRUE(mounted);
    Result<std::unique_ptr<File>> file = co_await files.open(worker, "/elsewhere/f", OpenOptions());
    Result<ByteChain> read = co_await (*file)->read_at(worker, 0, 100);
    EXPECT_EQ(text_of(*read), "moved");
  });
}

TYPED_TEST(HostControlContract, AMountedDiskIsBusy) {
  this->run(0, [](Worker& worker, HostControl& control, FileSystem&) -> Task<void> {
    const MountOptions options;
    Result<void> mounted = co_await control.mount(worker, kSharedDevice, "/data", options);
    EXPECT_TRUE(mounted);
    Result<void> again = co_await control.mount(worker, kSharedDevice, "/again", options);
    EXPECT_EQ(code_of(again), ErrorCode::busy);
    Result<void> purged = co_await control.purge_cache(worker, kSharedDevice);
    EXPECT_EQ(code_of(purged), ErrorCode::busy);
    Result<void> checked = co_await control.check(worker, kSharedDevice);
    EXPECT_EQ(code_of(checked), ErrorCode::busy);
  });
}

TYPED_TEST(HostControlContract, NothingThatWasReadBeforeAPurgeIsServedAfterIt) {
  const auto read = [](Worker& worker, FileSystem& files, char expected) -> Task<void> {
    Result<std::unique_ptr<File>> device = co_await files.open(worker, kSharedDevice, kMake);
    Result<ByteChain> bytes = co_await (*device)->read_at(worker, 1 << 20, 1);
    EXPECT_EQ(text_of(*bytes), std::string(1, expected));
  };
  this->run(0, [read](Worker& worker, HostControl&, FileSystem& files) -> Task<void> {
    co_await read(worker, files, '\0');
  });
  this->run(1, [](Worker& worker, HostControl&, FileSystem& files) -> Task<void> {
    Result<std::unique_ptr<File>> device = co_await files.open(worker, kSharedDevice, kMake);
    const SharedBytes bytes = bytes_of("x");
    Result<void> written = co_await (*device)->write_at(worker, 1 << 20, bytes);
    EXPECT_TRUE(written);
    Result<void> synced = co_await (*device)->sync_data(worker);
    EXPECT_TRUE(synced);
  });
  this->run(0, [read](Worker& worker, HostControl& control, FileSystem& files) -> Task<void> {
    co_await read(worker, files, '\0');
    Result<void> purged = co_await control.purge_cache(worker, kSharedDevice);
    EXPECT_TRUE(purged);
    co_await read(worker, files, 'x');
  });
}

// BLKFLSBUF: the purge itself puts them over what another host has written since.
TYPED_TEST(HostControlContract, APurgeWritesDirtyPagesFirst) {
  const auto write = [](Worker& worker, FileSystem& files, const char* text) -> Task<void> {
    Result<std::unique_ptr<File>> device = co_await files.open(worker, kSharedDevice, kMake);
    const SharedBytes bytes = bytes_of(text);
    Result<void> written = co_await (*device)->write_at(worker, 1 << 20, bytes);
    EXPECT_TRUE(written);
    if (*text != 'n') co_return;
    Result<void> synced = co_await (*device)->sync_data(worker);
    EXPECT_TRUE(synced);
  };
  this->run(0, [write](Worker& worker, HostControl&, FileSystem& files) -> Task<void> {
    co_await write(worker, files, "old");
  });
  this->run(1, [write](Worker& worker, HostControl&, FileSystem& files) -> Task<void> {
    co_await write(worker, files, "new");
  });
  this->run(0, [](Worker& worker, HostControl& control, FileSystem&) -> Task<void> {
    Result<void> purged = co_await control.purge_cache(worker, kSharedDevice);
    EXPECT_TRUE(purged);
  });
  this->run(1, [](Worker& worker, HostControl& control, FileSystem& files) -> Task<void> {
    Result<void> purged = co_await control.purge_cache(worker, kSharedDevice);
    EXPECT_TRUE(purged);
    Result<std::unique_ptr<File>> device = co_await files.open(worker, kSharedDevice, kMake);
    Result<ByteChain> bytes = co_await (*device)->read_at(worker, 1 << 20, 3);
    EXPECT_EQ(text_of(*bytes), "old");
  });
}

TYPED_TEST(HostControlContract, AReadOnlyMountRefusesChanges) {
  this->run(0, [](Worker& worker, HostControl& control, FileSystem& files) -> Task<void> {
    const MountOptions options{.access = MountOptions::Access::read_only};
    Result<void> mounted = co_await control.mount(worker, kSharedDevice, "/data", options);
    EXPECT_TRUE(mounted);
    Result<void> made = co_await files.create_directories(worker, "/data/d");
    EXPECT_EQ(code_of(made), ErrorCode::read_only);
  });
}

TYPED_TEST(HostControlContract, ADeviceOfTheHostCanBeOpened) {
  this->run(0, [](Worker& worker, HostControl& control, FileSystem&) -> Task<void> {
    Result<std::unique_ptr<BlockDevice>> device = control.open_device(kSharedDevice);
    const std::int64_t unit = (*device)->info().block_bytes;
    Result<SharedBytes> block = co_await (*device)->read(worker, 0, unit);
    EXPECT_TRUE(block);
    EXPECT_FALSE(control.open_device("/dev/none"));
  });
}

}  // namespace
}  // namespace drydock::contract
