// A file in the place of a disk, for the contracts of block devices and reservations.
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>

#include "engine/linux/descriptor.hpp"
#include "engine/linux/unsupported_reservations.hpp"
#include "engine/linux/world.hpp"
#include "tests/contract/shared_disk.hpp"

namespace drydock::contract {
namespace {

class LinuxSharedDisk final : public SharedDisk {
 public:
  LinuxSharedDisk()
      : folder_(std::filesystem::temp_directory_path() / "drydock-XXXXXX"),
        world_({.seed = 1, .log_sink = [](std::string_view, LogLevel, const std::string&) {}}) {
    ENSURE(::mkdtemp(folder_.data()) != nullptr);
    const std::string path = folder_ + "/disk";
    const on_linux::OwnedDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT, 0600));
    ENSURE(::ftruncate(file.get(), 1 << 20) == 0);
  }
  ~LinuxSharedDisk() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  bool run(int, Program program) override {
    on_linux::LinuxProcess& process = world_.spawn("p", {.root = folder_});
    process.start([this, &process, program](Context& context) -> Task<void> {
      Worker& worker = context.workers.add("w");
      Result<std::unique_ptr<BlockDevice>> device = co_await process.open_device(worker, "/disk");
      ENSURE(device.has_value());
      co_await program(worker, **device, reservations_);
    });
    return world_.run_until([&process] { return !process.alive(); }, Duration::s(60));
  }
  void power_cut() override { ENSURE(false); }

 private:
  std::string folder_;
  on_linux::UnsupportedReservations reservations_;
  on_linux::LinuxWorld world_;
};

}  // namespace

std::unique_ptr<SharedDisk> LinuxFile::make() { return std::make_unique<LinuxSharedDisk>(); }

}  // namespace drydock::contract
