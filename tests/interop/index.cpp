// Builds the index of a store anew from its commit log and compares it with the index files that
// RocketMQ wrote, byte for byte. Arguments: the store, its slots, its entries.
// Prints the first difference, or "equal: N files, M entries". Used by indexes.py.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "engine/store/index_file.hpp"
#include "engine/wire/big_endian.hpp"
#include "engine/wire/message_record.hpp"

namespace drydock {
namespace {

using Bytes = std::vector<std::byte>;

std::vector<std::filesystem::path> files_in(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

Bytes read(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  return {bytes.begin(), bytes.end()};
}

class Index {
 public:
  explicit Index(IndexSizes sizes) : sizes_(sizes) {}

  void file_message(const RecordView& view) {
    if (!is_indexed(view.sys_flag)) return;
    for (const std::string_view key : index_keys_of(as_text(view.properties))) {
      const std::int32_t hash = index_key_hash(as_text(view.topic), key);
      const PhysicalOffset at(view.physical_offset);
      if (!files_.empty() && put_index_key(files_.back(), sizes_, hash, at, view.store_ms))
        continue;
      add_file();
      put_index_key(files_.back(), sizes_, hash, at, view.store_ms);
    }
  }
  const std::vector<Bytes>& files() const { return files_; }

 private:
  void add_file() {
    const IndexHeader last = files_.empty() ? IndexHeader() : decode_index_header(files_.back());
    files_.emplace_back(static_cast<std::size_t>(sizes_.file_bytes()));
    const IndexHeader next = next_index_header(last);
    std::ranges::copy(encode_index_header(next), files_.back().begin());
  }

  IndexSizes sizes_;
  std::vector<Bytes> files_;
};

Index index_of(const std::filesystem::path& log, IndexSizes sizes) {
  Index index(sizes);
  for (const auto& path : files_in(log)) {
    const Bytes bytes = read(path);
    std::size_t at = 0;
    for (;;) {
      const std::span<const std::byte> rest = std::span(bytes).subspan(at);
      RecordView view;
      const RecordCheck check =
          check_record(rest, static_cast<std::int64_t>(rest.size()), ContentCheck::body_crc, view);
      if (!check.good()) break;
      index.file_message(view);
      at += static_cast<std::size_t>(check.size);
    }
  }
  return index;
}

int compare(const std::filesystem::path& store, const Index& index) {
  const auto theirs = files_in(store / "index");
  int entries = 0;
  if (theirs.size() != index.files().size()) {
    std::printf("%zu files, not %zu\n", theirs.size(), index.files().size());
    return 1;
  }
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    const Bytes& ours = index.files()[i];
    const Bytes file = read(theirs[i]);
    const auto [at, other] = std::ranges::mismatch(ours, file);
    if (at != ours.end() || other != file.end()) {
      std::printf("file %zu differs at byte %td\n", i, at - ours.begin());
      return 1;
    }
    entries += decode_index_header(ours).count - 1;
  }
  std::printf("equal: %zu files, %d entries\n", theirs.size(), entries);
  return 0;
}

}  // namespace
}  // namespace drydock

int main(int count, char** arguments) {
  if (count != 4) return 2;
  const drydock::IndexSizes sizes{.slots = std::stoi(arguments[2]),
                                  .entries = std::stoi(arguments[3])};
  const std::filesystem::path store = arguments[1];
  return drydock::compare(store, drydock::index_of(store / "commitlog", sizes));
}
