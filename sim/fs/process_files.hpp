// The file system as one process sees it.
#pragma once

#include "sim/fs/mount_table.hpp"

namespace drydock::sim {

// Lives as long as the process. Descriptors are objects in the process's frames: a kill that
// destroys the frames closes them, and a frame that is kept by an uninterruptible wait keeps them
// open, with the mount.
class ProcessFiles final : public FileSystem {
 public:
  ProcessFiles(std::shared_ptr<MountTable> table, ProcessId process)
      : table_(std::move(table)), process_(process) {}

  Task<Result<std::unique_ptr<File>>> open(Worker& worker, std::string path,
                                           OpenOptions options) override;
  Task<Result<std::unique_ptr<MappedFile>>> map(Worker& worker, std::string path,
                                                std::int64_t size) override;
  Task<Result<void>> rename(Worker& worker, std::string from, std::string to) override;
  Task<Result<void>> remove(Worker& worker, std::string path) override;
  Task<Result<void>> create_directories(Worker& worker, std::string path) override;
  Task<Result<std::vector<FileInfo>>> list(Worker& worker, std::string path) override;
  Task<Result<void>> sync_directory(Worker& worker, std::string path) override;
  Task<Result<std::unique_ptr<FileLock>>> lock(Worker& worker, std::string path) override;
  Task<Result<SpaceInfo>> space(Worker& worker, std::string path) override;

  // Counts a descriptor of the process while it lives.
  class Descriptor {
   public:
    explicit Descriptor(int& open) : open_(open) { ++open_; }
    ~Descriptor() { --open_; }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

   private:
    int& open_;
  };

 private:
  bool may_open() const { return open_ < table_->open_files_max(); }
  // Where a path of files leads to.
  Result<MountTable::Place> file_at(const std::string& path) const;

  std::shared_ptr<MountTable> table_;
  ProcessId process_;
  int open_ = 0;
};

}  // namespace drydock::sim
