#include "sim/host/jvm_files.hpp"

#include <utility>

namespace drydock::sim {
namespace {

class JvmFile final : public File {
 public:
  JvmFile(Jvm& jvm, std::unique_ptr<File> file) : jvm_(jvm), file_(std::move(file)) {}

  Task<Result<ByteChain>> read_at(Worker& worker, std::int64_t offset,
                                  std::int64_t length) override {
    return jvm_.native(worker, file_->read_at(worker, offset, length));
  }
  Task<Result<void>> write_at(Worker& worker, std::int64_t offset, SharedBytes bytes) override {
    return jvm_.native(worker, file_->write_at(worker, offset, std::move(bytes)));
  }
  Task<Result<void>> sync_data(Worker& worker) override {
    return jvm_.native(worker, file_->sync_data(worker));
  }
  Task<Result<void>> sync_all(Worker& worker) override {
    return jvm_.native(worker, file_->sync_all(worker));
  }
  Task<Result<void>> sync_range(Worker& worker, std::int64_t offset, std::int64_t length) override {
    return jvm_.native(worker, file_->sync_range(worker, offset, length));
  }
  Task<Result<void>> allocate(Worker& worker, std::int64_t offset, std::int64_t length) override {
    return jvm_.native(worker, file_->allocate(worker, offset, length));
  }
  Task<Result<void>> truncate(Worker& worker, std::int64_t size) override {
    return jvm_.native(worker, file_->truncate(worker, size));
  }
  Result<std::int64_t> size() const override { return file_->size(); }
  std::int64_t direct_alignment() const override { return file_->direct_alignment(); }

 private:
  Jvm& jvm_;
  std::unique_ptr<File> file_;
};

class JvmMappedFile final : public MappedFile {
 public:
  JvmMappedFile(Jvm& jvm, std::unique_ptr<MappedFile> file) : jvm_(jvm), file_(std::move(file)) {}

  std::int64_t size() const override { return file_->size(); }
  bool try_store(Worker& worker, std::int64_t offset, std::span<const std::byte> bytes) override {
    return file_->try_store(worker, offset, bytes);
  }
  Task<Result<void>> store(Worker& worker, std::int64_t offset, SharedBytes bytes) override {
    return jvm_.mapped(worker, file_->store(worker, offset, std::move(bytes)));
  }
  ByteChain try_load(std::int64_t offset, std::int64_t length) override {
    return file_->try_load(offset, length);
  }
  Task<Result<ByteChain>> load(Worker& worker, std::int64_t offset, std::int64_t length) override {
    return jvm_.mapped(worker, file_->load(worker, offset, length));
  }
  bool resident(std::int64_t offset, std::int64_t length) const override {
    return file_->resident(offset, length);
  }
  // MappedByteBuffer.force and JNA's mlock are native calls.
  Task<Result<void>> sync(Worker& worker, std::int64_t offset, std::int64_t length) override {
    return jvm_.native(worker, file_->sync(worker, offset, length));
  }
  Task<Result<void>> lock_memory(Worker& worker) override {
    return jvm_.native(worker, file_->lock_memory(worker));
  }
  void unlock_memory() override { file_->unlock_memory(); }
  Result<void> advise(Advice advice) override { return file_->advise(advice); }

 private:
  Jvm& jvm_;
  std::unique_ptr<MappedFile> file_;
};

Task<Result<std::unique_ptr<File>>> open_in(Jvm& jvm, FileSystem& files, Worker& worker,
                                            std::string path, OpenOptions options) {
  Result<std::unique_ptr<File>> opened =
      co_await jvm.native(worker, files.open(worker, std::move(path), options));
  if (!opened) co_return opened;
  co_return std::make_unique<JvmFile>(jvm, std::move(*opened));
}

Task<Result<std::unique_ptr<MappedFile>>> map_in(Jvm& jvm, FileSystem& files, Worker& worker,
                                                 std::string path, std::int64_t size) {
  Result<std::unique_ptr<MappedFile>> mapped =
      co_await jvm.native(worker, files.map(worker, std::move(path), size));
  if (!mapped) co_return mapped;
  co_return std::make_unique<JvmMappedFile>(jvm, std::move(*mapped));
}

class JvmFiles final : public FileSystem {
 public:
  JvmFiles(Jvm& jvm, FileSystem& files) : jvm_(jvm), files_(files) {}

  Task<Result<std::unique_ptr<File>>> open(Worker& worker, std::string path,
                                           OpenOptions options) override {
    return open_in(jvm_, files_, worker, std::move(path), options);
  }
  Task<Result<std::unique_ptr<MappedFile>>> map(Worker& worker, std::string path,
                                                std::int64_t size) override {
    return map_in(jvm_, files_, worker, std::move(path), size);
  }
  Task<Result<void>> rename(Worker& worker, std::string from, std::string to) override {
    return jvm_.native(worker, files_.rename(worker, std::move(from), std::move(to)));
  }
  Task<Result<void>> remove(Worker& worker, std::string path) override {
    return jvm_.native(worker, files_.remove(worker, std::move(path)));
  }
  Task<Result<void>> create_directories(Worker& worker, std::string path) override {
    return jvm_.native(worker, files_.create_directories(worker, std::move(path)));
  }
  Task<Result<std::vector<FileInfo>>> list(Worker& worker, std::string path) override {
    return jvm_.native(worker, files_.list(worker, std::move(path)));
  }
  Task<Result<FileInfo>> info(Worker& worker, std::string path) override {
    return jvm_.native(worker, files_.info(worker, std::move(path)));
  }
  Task<Result<void>> sync_directory(Worker& worker, std::string path) override {
    return jvm_.native(worker, files_.sync_directory(worker, std::move(path)));
  }
  Task<Result<std::unique_ptr<FileLock>>> lock(Worker& worker, std::string path) override {
    return jvm_.native(worker, files_.lock(worker, std::move(path)));
  }
  Task<Result<SpaceInfo>> space(Worker& worker, std::string path) override {
    return jvm_.native(worker, files_.space(worker, std::move(path)));
  }

 private:
  Jvm& jvm_;
  FileSystem& files_;
};

}  // namespace

std::unique_ptr<FileSystem> files_of_jvm(Jvm& jvm, FileSystem& files) {
  return std::make_unique<JvmFiles>(jvm, files);
}

}  // namespace drydock::sim
