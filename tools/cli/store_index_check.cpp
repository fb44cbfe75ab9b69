#include "tools/cli/store_index_check.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "engine/broker/configuration.hpp"
#include "engine/broker/settings.hpp"
#include "engine/wire/big_endian.hpp"
#include "scenarios/drill/drill.hpp"
#include "tools/cli/input_file.hpp"
#include "tools/cli/terminal.hpp"

namespace drydock::cli {

namespace {

std::int32_t number_at(std::span<const std::byte> bytes, std::int64_t at) {
  return read_big_endian<std::int32_t>(bytes.data() + at);
}

// As an entry tells the time between two store timestamps.
std::int32_t seconds_between(std::int64_t begin_ms, std::int64_t store_ms) {
  constexpr std::int64_t kMax = INT32_MAX;
  if (begin_ms < 0 || store_ms <= begin_ms) return 0;  // Nor does a difference overflow.
  return static_cast<std::int32_t>(std::clamp<std::int64_t>((store_ms - begin_ms) / 1000, 0, kMax));
}

bool is_number(const std::string& name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

class IndexCheck::File {
 public:
  File(const std::string& path, const IndexSizes& sizes)
      : path_(path), sizes_(sizes), input_(path), header_(decode_index_header(input_.bytes())) {}

  const std::string& path() const { return path_; }
  const IndexHeader& header() const { return header_; }
  std::int32_t count() const { return std::min(header_.count, sizes_.entries); }

  Entry entry(std::int32_t number) const {
    const std::int64_t at = sizes_.entry_at(number);
    Entry entry{.key_hash = number_at(input_.bytes(), at),
                .offset = integer_at(input_.bytes(), static_cast<std::size_t>(at) + 4),
                .begin_ms = header_.begin_ms,
                .place = path_ + ", entry " + std::to_string(number)};
    // The first one counts from the end of a file that may be gone.
    if (number > 1) entry.seconds = number_at(input_.bytes(), at + 12);
    return entry;
  }

  // Each slot must lead to its newest entry, and that to the one before it.
  void check_chains(const Finding& finding) const {
    if (header_.count > sizes_.entries)
      finding(path_ + " counts more entries than it has room for");
    std::vector<std::int32_t> newest(static_cast<std::size_t>(sizes_.slots), 0);
    for (std::int32_t number = 1; number < count(); ++number) {
      const std::int64_t at = sizes_.entry_at(number);
      const std::int32_t hash = number_at(input_.bytes(), at);
      if (hash < 0) {
        finding(path_ + ", entry " + std::to_string(number) + ": a hash is never negative");
        return;
      }
      std::int32_t& before = newest[static_cast<std::size_t>(hash % sizes_.slots)];
      if (number_at(input_.bytes(), at + 16) != before) {
        finding(path_ + ", entry " + std::to_string(number) + " does not lead to entry " +
                std::to_string(before));
        return;
      }
      before = number;
    }
    for (std::int32_t slot = 0; slot < sizes_.slots; ++slot) {
      if (number_at(input_.bytes(), sizes_.slot_at(slot)) ==
          newest[static_cast<std::size_t>(slot)]) {
        continue;
      }
      finding(path_ + ", slot " + std::to_string(slot) + " does not lead to its newest entry");
      return;
    }
  }

 private:
  std::string path_;
  IndexSizes sizes_;
  MappedInput input_;
  IndexHeader header_;
};

IndexCheck::IndexCheck(const std::string& root, const Options& options, Finding finding)
    : finding_(std::move(finding)) {
  if (options.being_written) return;
  for (const std::string& path : index_files(root)) open(path, options);
  if (files_.empty()) return;
  begin_ = files_.front()->header().begin_physical;
  end_ = files_.back()->header().end_physical;
}

IndexCheck::~IndexCheck() = default;

void IndexCheck::open(const std::string& path, const Options& options) {
  std::error_code unknown;
  const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(path, unknown));
  if (bytes != options.sizes.file_bytes()) {
    const std::string line = path + " has " + std::to_string(bytes) + " bytes, not " +
                             std::to_string(options.sizes.file_bytes());
    if (options.sizes_given) {
      finding_(line + ": a broker refuses to start");
    } else {
      std::printf("note: %s: give --conf with its maxHashSlotNum and maxIndexNum\n",
                  printable(line).c_str());
    }
    return;
  }
  auto file = std::make_unique<File>(path, options.sizes);
  if (options.kept_up_to_ms && file->header().end_ms > *options.kept_up_to_ms) {
    std::printf("note: %s is newer than the checkpoint: the next start removes it\n",
                printable(path).c_str());
    return;
  }
  file->check_chains(finding_);
  entries_ += file->count() - 1;
  files_.push_back(std::move(file));
}

const IndexCheck::Entry* IndexCheck::present() {
  while (!entry_ && file_ < files_.size()) {
    if (number_ < files_[file_]->count()) {
      entry_ = files_[file_]->entry(number_++);
      entry_->file = file_;
    } else {
      ++file_;
      number_ = 1;
    }
  }
  return entry_ ? &*entry_ : nullptr;
}

void IndexCheck::next() { entry_.reset(); }

void IndexCheck::take(const FiledMessage& message) {
  if (log_begin_ < 0) log_begin_ = message.offset;
  while (present() != nullptr && entry_->offset < message.offset) {
    if (entry_->offset >= log_begin_) {  // What is older went with its file of the log.
      finding_(entry_->place + ": no message lies at " + std::to_string(entry_->offset));
    }
    next();
  }
  std::vector<std::int32_t> hashes;
  for (const std::string_view key : index_keys_of(message.properties)) {
    hashes.push_back(index_key_hash(message.topic, key));
  }
  compare(message, hashes);
}

void IndexCheck::compare(const FiledMessage& message, const std::vector<std::int32_t>& hashes) {
  std::size_t found = 0;
  std::size_t file = files_.size();
  for (; present() != nullptr && entry_->offset == message.offset; next()) {
    const bool expected = found < hashes.size() && entry_->key_hash == hashes[found];
    // Recovery files the last message of a full file a second time, into the next one.
    if (entry_->file != file && !expected) found = 0;
    file = entry_->file;
    if (found == hashes.size() || entry_->key_hash != hashes[found]) {
      finding_(entry_->place + ": the message at " + std::to_string(message.offset) +
               " has no such key");
      continue;
    }
    ++found;
    const std::int32_t seconds = seconds_between(entry_->begin_ms, message.store_ms);
    if (entry_->seconds && *entry_->seconds != seconds) {
      finding_(entry_->place + " tells another time than the message at " +
               std::to_string(message.offset));
    }
  }
  const bool covered = message.offset >= begin_ && message.offset <= end_;
  if (covered && !message.may_lack) missing_ += static_cast<std::int64_t>(hashes.size() - found);
}

void IndexCheck::finish() {
  for (; present() != nullptr; next()) {
    finding_(entry_->place + ": no message lies at " + std::to_string(entry_->offset));
  }
  if (files_.empty()) return;
  std::printf("index: %zu files, %lld entries, %lld keys of messages between them are not there\n",
              files_.size(), static_cast<long long>(entries_), static_cast<long long>(missing_));
}

IndexSizes index_sizes(const std::optional<std::string>& conf) {
  IndexSizes sizes;
  if (!conf) return sizes;
  const Settings settings(parse_broker_configuration(read_file(*conf)).settings);
  const std::int64_t slots = settings.number("maxHashSlotNum");
  const std::int64_t entries = settings.number("maxIndexNum");
  if (slots < 1 || entries < 1) {
    throw scenarios::InputError(*conf + ": maxHashSlotNum and maxIndexNum must be at least 1");
  }
  sizes.slots = static_cast<std::int32_t>(slots);
  sizes.entries = static_cast<std::int32_t>(entries);
  return sizes;
}

std::vector<std::string> index_files(const std::string& root) {
  std::vector<std::string> files;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(root + "/index", error), end;
       !error && entry != end; entry.increment(error)) {
    std::error_code unknown;
    const bool named = is_number(entry->path().filename().string());
    if (named && entry->is_regular_file(unknown)) files.push_back(entry->path().string());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace drydock::cli
