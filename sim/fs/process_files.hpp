// The file system as one process sees it.
#pragma once

#include "sim/fs/mount_table.hpp"
#include "sim/host/process.hpp"

namespace drydock::sim {

// Lives as long as the process. Descriptors are objects in the process's frames: a kill that
// destroys the frames closes them, and a frame that is kept by an uninterruptible wait keeps them
// open, with the mount.
class ProcessFiles final : public FileSystem {
 public:
  ProcessFiles(std::shared_ptr<MountTable> table, SimProcess& process)
      : table_(std::move(table)), process_(process.id()), descriptors_(process.descriptors()) {}

  Task<Result<std::unique_ptr<File>>> open(Worker& worker, std::string path,
                                           OpenOptions options) override;
  Task<Result<std::unique_ptr<MappedFile>>> map(Worker& worker, std::string path,
                                                std::int64_t size) override;
  Task<Result<void>> rename(Worker& worker, std::string from, std::string to) override;
  Task<Result<void>> remove(Worker& worker, std::string path) override;
  Task<Result<void>> create_directories(Worker& worker, std::string path) override;
  Task<Result<std::vector<FileInfo>>> list(Worker& worker, std::string path) override;
  Task<Result<FileInfo>> info(Worker& worker, std::string path) override;
  Task<Result<void>> sync_directory(Worker& worker, std::string path) override;
  Task<Result<std::unique_ptr<FileLock>>> lock(Worker& worker, std::string path) override;
  Task<Result<SpaceInfo>> space(Worker& worker, std::string path) override;

 private:
  // Where a path of files leads to.
  Result<MountTable::Place> file_at(const std::string& path) const;

  std::shared_ptr<MountTable> table_;
  ProcessId process_;
  Descriptors& descriptors_;
};

}  // namespace drydock::sim
