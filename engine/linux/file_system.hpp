// Files by name.
#pragma once

#include "engine/linux/operations.hpp"
#include "engine/runtime/file_system.hpp"

namespace drydock::on_linux {

// Everything runs on the worker's lane. New files get mode 0666 and directories 0777,
// less the umask, as the JDK makes them.
//
// Locks are open-file-description locks (F_OFD_SETLK): the F_SETLK locks of one operating-system
// process never conflict with each other, so two of our processes inside one would both get the
// lock, and closing any descriptor of the file would drop it. Both kinds conflict with one another,
// so a RocketMQ broker in a JVM sees ours and we see its. Source: fcntl(2).
class LinuxFileSystem : public FileSystem {
 public:
  LinuxFileSystem(Operations& operations, std::string root)
      : operations_(operations), root_(std::move(root)) {}

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
  std::string in_root(const std::string& path) const;
  Task<Result<void>> run(Worker& worker, std::function<int()> work);

  Operations& operations_;
  std::string root_;
};

}  // namespace drydock::on_linux
