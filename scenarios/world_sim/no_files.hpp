// The file system of a host that has no disk: every call is refused.
#pragma once

#include <memory>

#include "engine/runtime/file_system.hpp"

namespace drydock::scenarios {

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

}  // namespace drydock::scenarios
