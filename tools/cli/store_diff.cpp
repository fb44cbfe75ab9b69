// drydock store diff: what two stores hold once both are recovered.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include "engine/store/mapped_file_queue.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/store_files.hpp"
#include "tools/cli/store_state.hpp"
#include "tools/cli/store_walk.hpp"
#include "tools/cli/terminal.hpp"

namespace drydock::cli {
namespace {

class Differences {
 public:
  template <class... Values>
  void add(const char* format, Values... values) {
    ++count_;
    std::printf(format, values...);
  }
  int status() const { return count_ > 0 ? kDamageFound : 0; }

 private:
  int count_ = 0;
};

// Null: it is missing, which recovery may not notice.
std::unique_ptr<MappedInput> log_file(const StoreState& state, std::int64_t begin) {
  const std::string path = state.commit_log + "/" + queue_file_name(begin);
  std::error_code unknown;
  if (!std::filesystem::exists(path, unknown)) return nullptr;
  return std::make_unique<MappedInput>(path);
}

// Where each begins, and its bytes.
using Messages = std::map<std::int64_t, std::span<const std::byte>>;

// The messages of one file of a log in front of `end`.
Messages messages_in(std::span<const std::byte> bytes, std::int64_t begin, std::int64_t end) {
  Messages messages;
  walk_pieces(begin, bytes, [&](const LogPiece& piece) {
    if (piece.kind != LogPiece::Kind::message || piece.offset >= end) return;
    messages[piece.offset] = bytes.subspan(static_cast<std::size_t>(piece.offset - begin),
                                           static_cast<std::size_t>(piece.bytes));
  });
  return messages;
}

// The first message of the file at `begin` that the two have not in common; -1: none.
std::int64_t first_other_message(const StoreState& one, const StoreState& other,
                                 std::int64_t begin) {
  const std::unique_ptr<MappedInput> left = log_file(one, begin);
  const std::unique_ptr<MappedInput> right = log_file(other, begin);
  const std::int64_t end = std::min(one.end, other.end);
  const Messages lefts = left ? messages_in(left->bytes(), begin, end) : Messages();
  const Messages rights = right ? messages_in(right->bytes(), begin, end) : Messages();
  auto l = lefts.begin();
  auto r = rights.begin();
  for (; l != lefts.end() && r != rights.end(); ++l, ++r) {
    if (l->first != r->first) return std::min(l->first, r->first);
    if (!std::ranges::equal(l->second, r->second)) return l->first;
  }
  if (l != lefts.end()) return l->first;
  if (r != rights.end()) return r->first;
  return -1;
}

// Where files begin that either log has between the places that both have.
std::set<std::int64_t> files_of_both(const StoreState& one, const StoreState& other) {
  const std::int64_t begin = std::max(one.begin, other.begin);
  const std::int64_t end = std::min(one.end, other.end);
  std::set<std::int64_t> begins;
  for (const StoreState* const state : {&one, &other}) {
    for (const LogFile& file : list_log(state->commit_log)) {
      if (file.begin && *file.begin >= begin && *file.begin < end) begins.insert(*file.begin);
    }
  }
  return begins;
}

void compare_logs(const StoreState& one, const StoreState& other, Differences& differences) {
  if (one.begin != other.begin) {
    differences.add("log: begins at %lld and at %lld\n", static_cast<long long>(one.begin),
                    static_cast<long long>(other.begin));
  }
  if (one.end != other.end) {
    differences.add("log: ends at %lld and at %lld\n", static_cast<long long>(one.end),
                    static_cast<long long>(other.end));
  }
  if (one.file_bytes != other.file_bytes) {
    differences.add("log: files of %lld and of %lld bytes\n",
                    static_cast<long long>(one.file_bytes),
                    static_cast<long long>(other.file_bytes));
    return;
  }
  if (one.begin < 0 || other.begin < 0) return;
  for (const std::int64_t at : files_of_both(one, other)) {
    const std::int64_t message = first_other_message(one, other, at);
    if (message < 0) continue;
    differences.add("log: the message at %lld is another one, or is in one store only\n",
                    static_cast<long long>(message));
    return;
  }
}

using QueueKey = std::pair<std::string, std::int32_t>;

std::map<QueueKey, QueueState> by_key(const StoreState& state) {
  std::map<QueueKey, QueueState> queues;
  for (const QueueState& queue : state.queues) queues[{queue.topic, queue.queue_id}] = queue;
  return queues;
}

void compare_queues(const StoreState& one, const StoreState& other, Differences& differences) {
  std::map<QueueKey, QueueState> lefts = by_key(one);
  std::map<QueueKey, QueueState> rights = by_key(other);
  for (const auto& [key, queue] : rights) lefts.try_emplace(key);
  for (const auto& [key, queue] : lefts) {
    const QueueState& left = queue;
    const QueueState& right = rights[key];
    const std::string name = word(key.first) + " " + std::to_string(key.second);
    if (left.min != right.min || left.max != right.max) {
      differences.add("queue %s: offsets %lld to %lld, and %lld to %lld\n", name.c_str(),
                      static_cast<long long>(left.min), static_cast<long long>(left.max),
                      static_cast<long long>(right.min), static_cast<long long>(right.max));
    } else if (left.units != right.units) {
      differences.add("queue %s: the same offsets, other units\n", name.c_str());
    }
  }
}

}  // namespace

int store_diff(const StoreDiffOptions& options) {
  StoreOptions second = options.store;
  second.directory = options.other;
  const StoreState one = recover_state(options.store, StoreAccess::look);
  const StoreState other = recover_state(second, StoreAccess::look);
  Differences differences;
  compare_logs(one, other, differences);
  compare_queues(one, other, differences);
  if (differences.status() == 0) {
    std::printf("both hold the same: the log from %lld to %lld, %zu queues\n",
                static_cast<long long>(one.begin), static_cast<long long>(one.end),
                one.queues.size());
  }
  return differences.status();
}

}  // namespace drydock::cli
