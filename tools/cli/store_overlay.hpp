// A store's files as recovery sees them when nothing may be written: what it stores goes to private
// copies of pages, what it removes is only forgotten. Everything ends with this object.
//
// Just enough of a file system for MessageStore::load: maps, lists, looks whether a file is there.
// A file that is opened to be written is an error (read_only). No call waits.
#pragma once

#include <set>

#include "engine/runtime/file_system.hpp"

namespace drydock::cli {

class StoreOverlay : public FileSystem {
 public:
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
  std::set<std::string> removed_;  // Paths.
};

}  // namespace drydock::cli
