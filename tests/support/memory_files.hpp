// Files in memory, just real enough for tests of the store: what is stored is in the "page cache",
// what was synced is "durable", and a power loss leaves what is durable. Names are durable at once.
// Nothing waits unless the test says so.
//
// It is kinder than a disk: nothing is torn or written back behind one's back. Tests that need that
// cut or damage the bytes themselves, or use the simulated file system.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/runtime/context.hpp"

namespace drydock::test {

using Bytes = std::vector<std::byte>;

class MemoryFiles {
 public:
  struct Node {
    std::string path;
    Bytes cached;
    Bytes durable;
    bool is_directory = false;
    bool locked = false;
    WallTime modified;  // Of the host's clock, if the test gave one; or what the test says.
  };
  using NodePointer = std::shared_ptr<Node>;

  // Hands of the test.
  Duration sync_time;                     // How long a sync takes.
  int syncs = 0;                          // Syncs that began.
  int sync_failures = 0;                  // So many syncs fail; their bytes are not made durable.
  bool block_stores = false;              // try_store always says no.
  Duration store_time;                    // How long the slow path of a store takes.
  int write_failures = 0;                 // So many writes through descriptors fail.
  Duration write_time;                    // How long they take.
  std::vector<std::int64_t> write_sizes;  // Of all of them so far, failed or not.
  int store_failures = 0;          // So many stores fail, and the fast path before them says no.
  std::set<std::int64_t> evicted;  // Offsets of which `resident` says no, in whatever mapping.
  int map_failures = 0;            // So many mappings of missing files fail.
  std::set<std::string> locked_in_memory;  // Paths of mappings that are.
  SpaceInfo space{1 << 30, 1 << 29, 1 << 29};
  std::map<std::string, SpaceInfo> spaces;  // Below a path of these another file system is mounted.
  int space_failures = 0;                   // So many questions for it fail.
  Duration remove_time;                     // How long a removal takes.
  int remove_failures = 0;                  // So many removals fail.
  std::string failing_path;                 // Only calls for files whose path contains it fail.

  std::unique_ptr<FileSystem> attach() { return std::make_unique<View>(*this); }
  void lose_power() {
    for (auto& [path, node] : nodes) {
      node->cached = node->durable;
      node->locked = false;
    }
  }
  bool exists(const std::string& path) const { return nodes.contains(path); }
  Node& at(const std::string& path) { return *nodes.at(path); }
  // A file as an earlier broker left it.
  Node& put(const std::string& path, Bytes bytes) {
    make_directories(path.substr(0, path.rfind('/')));
    NodePointer& node = nodes[path];
    node = std::make_shared<Node>();
    node->path = path;
    node->cached = node->durable = std::move(bytes);
    touch(*node);
    return *node;
  }
  std::vector<std::string> paths() const {
    std::vector<std::string> all;
    for (const auto& [path, node] : nodes) {
      if (!node->is_directory) all.push_back(path);
    }
    return all;
  }

  std::map<std::string, NodePointer> nodes;

 private:
  void touch(Node& node) const {
    if (clock != nullptr) node.modified = clock->wall_now();
  }
  // The directory and those above it.
  void make_directories(std::string path) {
    while (!path.empty()) {
      NodePointer& node = nodes[path];
      if (node != nullptr && node->is_directory) return;
      if (node == nullptr) node = std::make_shared<Node>();
      node->is_directory = true;
      path.resize(path.rfind('/'));
    }
  }
  Task<Result<void>> sync(NodePointer node, std::size_t from, std::size_t to) {
    ++syncs;
    Bytes bytes(node->cached.begin() + static_cast<std::ptrdiff_t>(from),
                node->cached.begin() + static_cast<std::ptrdiff_t>(to));
    if (sync_time > Duration()) {
      Result<void> waited = co_await wait(sync_time);
      if (!waited) co_return waited;
    }
    if (fails(sync_failures, node->path)) {
      co_return Error::from_errno(ErrorCode::io_error, 5);
    }
    if (node->durable.size() < node->cached.size()) node->durable.resize(node->cached.size());
    std::ranges::copy(bytes, node->durable.begin() + static_cast<std::ptrdiff_t>(from));
    co_return Result<void>();
  }
  bool fails(int& count, const std::string& path) {
    if (count == 0 || path.find(failing_path) == std::string::npos) return false;
    --count;
    return true;
  }
  Task<Result<void>> wait(Duration length) {
    Result<void> waited = co_await sleep_until(clock->now() + length);
    co_return waited;
  }

  class OpenFile : public File {
   public:
    OpenFile(MemoryFiles& files, NodePointer node) : files_(files), node_(std::move(node)) {}
    Task<Result<ByteChain>> read_at(Worker&, std::int64_t offset, std::int64_t length) override {
      const auto size = static_cast<std::int64_t>(node_->cached.size());
      const std::int64_t from = std::min(offset, size);
      const std::int64_t to = std::min(size, from + length);
      const auto bytes =
          std::span(node_->cached)
              .subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from));
      co_return ByteChain(SharedBytes::copy_of(bytes));
    }
    Task<Result<void>> write_at(Worker&, std::int64_t offset, SharedBytes bytes) override {
      if (files_.write_time > Duration()) {
        Result<void> waited = co_await files_.wait(files_.write_time);
        if (!waited) co_return waited;
      }
      files_.write_sizes.push_back(static_cast<std::int64_t>(bytes.size()));
      if (files_.fails(files_.write_failures, node_->path)) co_return ErrorCode::no_space;
      const std::size_t end = static_cast<std::size_t>(offset) + bytes.size();
      if (node_->cached.size() < end) node_->cached.resize(end);
      std::ranges::copy(bytes.span(), node_->cached.begin() + offset);
      files_.touch(*node_);
      co_return Result<void>();
    }
    Task<Result<void>> sync_data(Worker&) override {
      return files_.sync(node_, 0, node_->cached.size());
    }
    Task<Result<void>> sync_all(Worker& worker) override { return sync_data(worker); }
    Task<Result<void>> sync_range(Worker&, std::int64_t, std::int64_t) override {
      co_return Result<void>();
    }
    Task<Result<void>> allocate(Worker&, std::int64_t, std::int64_t) override {
      co_return Result<void>();
    }
    Task<Result<void>> truncate(Worker&, std::int64_t size) override {
      node_->cached.resize(static_cast<std::size_t>(size));
      co_return Result<void>();
    }
    Result<std::int64_t> size() const override {
      return static_cast<std::int64_t>(node_->cached.size());
    }
    std::int64_t direct_alignment() const override { return 512; }

   private:
    MemoryFiles& files_;
    NodePointer node_;
  };

  class Mapping : public MappedFile {
   public:
    Mapping(MemoryFiles& files, NodePointer node) : files_(files), node_(std::move(node)) {}
    std::int64_t size() const override { return static_cast<std::int64_t>(node_->cached.size()); }
    bool try_store(Worker&, std::int64_t offset, std::span<const std::byte> bytes) override {
      if (files_.block_stores) return false;
      const bool failing = node_->path.find(files_.failing_path) != std::string::npos;
      if (files_.store_failures > 0 && failing) return false;
      put(offset, bytes);
      return true;
    }
    Task<Result<void>> store(Worker&, std::int64_t offset, SharedBytes bytes) override {
      if (files_.store_time > Duration()) {
        Result<void> waited = co_await files_.wait(files_.store_time);
        if (!waited) co_return waited;
      }
      if (files_.fails(files_.store_failures, node_->path)) co_return ErrorCode::no_space;
      put(offset, bytes.span());
      co_return Result<void>();
    }
    ByteChain try_load(std::int64_t offset, std::int64_t length) override {
      const auto bytes =
          std::span(node_->cached)
              .subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(length));
      return ByteChain(SharedBytes::copy_of(bytes));
    }
    Task<Result<ByteChain>> load(Worker&, std::int64_t offset, std::int64_t length) override {
      co_return try_load(offset, length);
    }
    bool resident(std::int64_t offset, std::int64_t length) const override {
      return files_.evicted.lower_bound(offset) == files_.evicted.lower_bound(offset + length);
    }
    Task<Result<void>> sync(Worker&, std::int64_t offset, std::int64_t length) override {
      const auto from = static_cast<std::size_t>(offset);
      return files_.sync(node_, from, from + static_cast<std::size_t>(length));
    }
    Task<Result<void>> lock_memory(Worker&) override {
      files_.locked_in_memory.insert(node_->path);
      co_return Result<void>();
    }
    void unlock_memory() override { files_.locked_in_memory.erase(node_->path); }
    Result<void> advise(Advice) override { return {}; }

   private:
    void put(std::int64_t offset, std::span<const std::byte> bytes) {
      ENSURE(static_cast<std::size_t>(offset) + bytes.size() <= node_->cached.size());
      std::ranges::copy(bytes, node_->cached.begin() + offset);
      files_.touch(*node_);
    }
    MemoryFiles& files_;
    NodePointer node_;
  };

  class Lock : public FileLock {
   public:
    explicit Lock(NodePointer node) : node_(std::move(node)) { node_->locked = true; }
    ~Lock() override { node_->locked = false; }

   private:
    NodePointer node_;
  };

  class View : public FileSystem {
   public:
    explicit View(MemoryFiles& files) : files_(files) {}
    Task<Result<std::unique_ptr<File>>> open(Worker&, std::string path,
                                             OpenOptions options) override {
      const bool present = files_.exists(path);
      if (!present && options.create == Create::never) co_return ErrorCode::not_found;
      if (present && options.create == Create::must_be_new) co_return ErrorCode::exists;
      if (!present) files_.put(path, {});
      std::unique_ptr<File> file = std::make_unique<OpenFile>(files_, files_.nodes[path]);
      co_return file;
    }
    Task<Result<std::unique_ptr<MappedFile>>> map(Worker&, std::string path,
                                                  std::int64_t size) override {
      if (!files_.exists(path)) {
        if (files_.fails(files_.map_failures, path)) co_return ErrorCode::no_space;
        files_.put(path, Bytes(static_cast<std::size_t>(size)));
      }
      const NodePointer node = files_.nodes[path];
      const auto bytes = static_cast<std::size_t>(size);
      if (node->cached.size() > bytes) co_return ErrorCode::invalid_argument;
      node->cached.resize(bytes);
      node->durable.resize(bytes);
      std::unique_ptr<MappedFile> map = std::make_unique<Mapping>(files_, node);
      co_return map;
    }
    Task<Result<void>> rename(Worker&, std::string from, std::string to) override {
      if (!files_.exists(from)) co_return ErrorCode::not_found;
      files_.nodes[to] = files_.nodes[from];
      files_.nodes.erase(from);
      co_return Result<void>();
    }
    Task<Result<void>> remove(Worker&, std::string path) override {
      if (files_.remove_time > Duration()) {
        Result<void> waited = co_await files_.wait(files_.remove_time);
        if (!waited) co_return waited;
      }
      if (files_.fails(files_.remove_failures, path)) co_return ErrorCode::io_error;
      const auto next = files_.nodes.lower_bound(path + "/");
      const bool has_entries = next != files_.nodes.end() && next->first.starts_with(path + "/");
      if (has_entries) co_return ErrorCode::not_empty;
      if (files_.nodes.erase(path) == 0) co_return ErrorCode::not_found;
      co_return Result<void>();
    }
    Task<Result<void>> create_directories(Worker&, std::string path) override {
      files_.make_directories(std::move(path));
      co_return Result<void>();
    }
    Task<Result<std::vector<FileInfo>>> list(Worker&, std::string path) override {
      if (!files_.exists(path)) co_return ErrorCode::not_found;
      std::vector<FileInfo> entries;
      for (const auto& [name, node] : files_.nodes) {
        if (!name.starts_with(path + "/")) continue;
        const std::string rest = name.substr(path.size() + 1);
        if (rest.find('/') != std::string::npos) continue;
        entries.push_back({rest, node->is_directory, static_cast<std::int64_t>(node->cached.size()),
                           node->modified});
      }
      co_return entries;
    }
    Task<Result<FileInfo>> info(Worker&, std::string path) override {
      if (!files_.exists(path)) co_return ErrorCode::not_found;
      const NodePointer node = files_.nodes[path];
      FileInfo info{path.substr(path.rfind('/') + 1), node->is_directory,
                    static_cast<std::int64_t>(node->cached.size()), node->modified};
      co_return info;
    }
    Task<Result<void>> sync_directory(Worker&, std::string) override { co_return Result<void>(); }
    Task<Result<std::unique_ptr<FileLock>>> lock(Worker&, std::string path) override {
      NodePointer& node = files_.nodes[path];
      if (node == nullptr) node = std::make_shared<Node>();
      if (node->locked) co_return ErrorCode::busy;
      std::unique_ptr<FileLock> lock = std::make_unique<Lock>(node);
      co_return lock;
    }
    Task<Result<SpaceInfo>> space(Worker&, std::string path) override {
      if (files_.space_failures > 0) {
        --files_.space_failures;
        co_return ErrorCode::io_error;
      }
      for (const auto& [mount_point, space] : files_.spaces) {
        if (path.starts_with(mount_point)) co_return space;
      }
      co_return files_.space;
    }

   private:
    MemoryFiles& files_;
  };

 public:
  const Clock* clock = nullptr;  // Of the host whose files these are.
};

}  // namespace drydock::test
