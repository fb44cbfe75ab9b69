// Linux behind the face of the contracts: hosts are loopback addresses and directories.
#include <stdlib.h>

#include <filesystem>
#include <vector>

#include "engine/linux/world.hpp"
#include "tests/contract/world.hpp"

namespace drydock::contract {
namespace {

class LinuxGuest final : public Guest {
 public:
  explicit LinuxGuest(on_linux::LinuxProcess& process) : process_(process) {}

  ProcessState& state() override { return process_; }
  void kill() override { process_.kill(); }
  void terminate() override { process_.terminate(); }
  bool exited_by_itself() const override { return process_.end() == on_linux::ProcessEnd::exited; }
  Processes& processes() override { return process_.processes(); }

 private:
  on_linux::LinuxProcess& process_;
};

// Goes with the world.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / "drydock-XXXXXX") {
    ENSURE(::mkdtemp(path_.data()) != nullptr);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class LinuxWorld final : public World {
 public:
  LinuxWorld()
      : world_({.seed = 1, .log_sink = [](std::string_view, LogLevel, const std::string&) {}}) {}

  std::string_view name() const override { return "linux"; }

  Guest& start(int host, std::string name, Program program) override {
    const std::string root = folder_.path() + "/h" + std::to_string(host);
    std::filesystem::create_directories(root);
    on_linux::LinuxProcess& process =
        world_.spawn(std::move(name), {.address = address(host), .root = root});
    process.start(std::move(program));
    guests_.push_back(std::make_unique<LinuxGuest>(process));
    return *guests_.back();
  }
  std::uint32_t address(int host) const override {
    return 0x7f000001 + static_cast<std::uint32_t>(host);
  }
  bool run_until(const std::function<bool()>& condition) override {
    return world_.run_until(condition, Duration::s(60));
  }
  bool power_cut(int) override { return false; }
  ProcessSpec ends_at_once() const override { return {"/bin/true", {}}; }
  ProcessSpec never_ends() const override { return {"/bin/sleep", {"1000000"}}; }

 private:
  Folder folder_;
  std::vector<std::unique_ptr<LinuxGuest>> guests_;
  on_linux::LinuxWorld world_;
};

}  // namespace

std::unique_ptr<World> Linux::make() { return std::make_unique<LinuxWorld>(); }

}  // namespace drydock::contract
