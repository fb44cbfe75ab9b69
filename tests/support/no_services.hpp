// A network and a file system that refuse everything: for tests of what lies below both.
#pragma once

#include "engine/runtime/context.hpp"

namespace drydock::test {

class NoNetwork : public Network {
 public:
  Result<std::unique_ptr<Listener>> listen(std::uint16_t) override {
    return ErrorCode::not_supported;
  }
  Task<Result<std::unique_ptr<Stream>>> connect(Endpoint, ConnectOptions) override {
    co_return ErrorCode::not_supported;
  }
  std::uint32_t address() const override { return 0; }
};

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
  Task<Result<FileInfo>> info(Worker&, std::string) override { co_return ErrorCode::not_supported; }
  Task<Result<void>> sync_directory(Worker&, std::string) override {
    co_return ErrorCode::not_supported;
  }
  Task<Result<std::unique_ptr<FileLock>>> lock(Worker&, std::string) override {
    co_return ErrorCode::not_supported;
  }
  Task<Result<SpaceInfo>> space(Worker&, std::string) override {
    co_return ErrorCode::not_supported;
  }
};

}  // namespace drydock::test
