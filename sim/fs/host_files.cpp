#include "sim/fs/host_files.hpp"

namespace drydock::sim {
namespace {

class NoFiles : public FileSystem {
 public:
  Task<Result<std::unique_ptr<File>>> open(Worker&, std::string, OpenOptions) override {
    co_return ErrorCode::not_supported;
  }
  Task<Result<std::unique_ptr<MappedFile>>> map(Worker&, std::string, std::int64_t) override {
    co_return ErrorCode::not_supported;
  }
  Task<Result<void>> rename(Worker&, std::string, std::string) override {
    co_return ErrorCode::not_supported;
  }
  Task<Result<void>> remove(Worker&, std::string) override { co_return ErrorCode::not_supported; }
  Task<Result<void>> create_directories(Worker&, std::string) override {
    co_return ErrorCode::not_supported;
  }
  Task<Result<std::vector<FileInfo>>> list(Worker&, std::string) override {
    co_return ErrorCode::not_supported;
  }
  Task<Result<void>> sync_directory(Worker&, std::string) override {
    co_return ErrorCode::not_supported;
  }
  Task<Result<std::unique_ptr<FileLock>>> lock(Worker&, std::string) override {
    co_return ErrorCode::not_supported;
  }
  Result<SpaceInfo> space(std::string) override { return ErrorCode::not_supported; }
};

}  // namespace

HostFiles::HostFiles(Kernel&, Host& host, SimDisk&, FileSystemOptions) : host_(host) {
  host_.add_listener(*this);
}
HostFiles::~HostFiles() { host_.remove_listener(*this); }
std::unique_ptr<FileSystem> HostFiles::attach(SimProcess&) { return std::make_unique<NoFiles>(); }
void HostFiles::power_lost(Host&) {}
void HostFiles::power_restored(Host&) {}
void HostFiles::process_ended(Host&, SimProcess&) {}

}  // namespace drydock::sim
