// Whether the index files of a store agree with themselves and with its log.
//
// Both are in the order of the log, so one pass over each is enough: every entry must belong to a
// message that lies where it says, and to a key of that message; its chain must lead to it. Keys
// that the index lacks are counted and are no damage: after a crash RocketMQ deletes the newest
// file and files again only what recovery comes past.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/index_file.hpp"
#include "tools/cli/store_files.hpp"

namespace drydock::cli {

// What the log has of a message.
struct FiledMessage {
  std::int64_t offset = 0;
  std::int64_t store_ms = 0;
  std::string_view topic;
  std::string_view properties;
  bool may_lack = false;  // Whether it is filed cannot be told from what was decoded.
};

class IndexCheck {
 public:
  struct Options {
    IndexSizes sizes;
    bool sizes_given = false;    // By a broker.conf; else files of another size are passed over.
    bool being_written = false;  // By a broker that runs: nothing is looked at.
    // After a crash a broker removes files that are newer than this store timestamp.
    std::optional<std::int64_t> kept_up_to_ms;
  };
  using Finding = std::function<void(const std::string&)>;

  IndexCheck(const std::string& root, const Options& options, Finding finding);
  ~IndexCheck();

  // Every message of the log, in order.
  void take(const FiledMessage& message);
  // After the last one. Prints a line, if there is an index.
  void finish();

 private:
  class File;
  struct Entry {
    std::int32_t key_hash = 0;
    std::int64_t offset = 0;
    std::optional<std::int32_t> seconds;  // Of which it can be told what it must be.
    std::int64_t begin_ms = 0;            // From which they count.
    std::size_t file = 0;
    std::string place;  // For people.
  };

  void open(const std::string& path, const Options& options);
  const Entry* present();  // Null: there is none left.
  void next();
  void compare(const FiledMessage& message, const std::vector<std::int32_t>& hashes);

  Finding finding_;
  std::vector<std::unique_ptr<File>> files_;
  std::size_t file_ = 0;
  std::int32_t number_ = 1;
  std::optional<Entry> entry_;
  std::int64_t log_begin_ = -1;
  std::int64_t begin_ = -1;  // Of what the index covers.
  std::int64_t end_ = -1;
  std::int64_t entries_ = 0;
  std::int64_t missing_ = 0;
};

// The sizes that a broker with this configuration gives its index files. Throws InputError.
IndexSizes index_sizes(const std::optional<std::string>& conf);

// Paths of a store's index files, by name: the oldest first.
std::vector<std::string> index_files(const std::string& root);

}  // namespace drydock::cli
