// What a broker must have, told by a model that knows queues and nothing of files: whom it
// answered, what it handed out, when it died.
//
// A message has one place, given when it is answered; a delayed one, or one that was sent back, has
// its place among those that wait, and is put into a queue once more when its time has come.
//
// Laws. (1) Each queue is dense: the message at index i says that it is number i, and lies behind
// the one before. (2) Every message was sent, is as it was sent, in the queue to which it was sent,
// once; the copy of a delayed one at most once more for each death of the broker. (3) What was
// answered is where the answer says. (4) A kill and an orderly stop lose nothing that was answered.
// A power loss loses nothing with SYNC_FLUSH; with ASYNC_FLUSH nothing that was answered
// kFlushedWithin earlier, and what it loses is a suffix of the log; with the transient pool a kill
// may lose as much, but nothing that was handed out. (5) What was handed out to a
// consumer is as safe. (6) What is gone never comes back. (7) A copy comes no earlier than its
// delay says, and once at least. (8) A committed offset is one that was committed, not behind the
// end of its queue, and not older than those of the last kSavedWithin. (9) The index finds every
// message that is there.
//
// After a power loss a record may be torn: its body is there, and its last bytes, which are those
// of its properties, are not. A CRC of the body alone doesn't see that, and so law 2 does not hold
// for what was not safe yet; with Torn::never it must.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/store/store_configuration.hpp"

namespace drydock::test {

inline constexpr const char* kTopic = "orders";
inline constexpr const char* kGroup = "G";
inline constexpr const char* kRetries = "%RETRY%G";
inline constexpr int kQueues = 3;

// Thorough flushes come each second in a trial, see trial_broker.
inline constexpr Duration kFlushedWithin = Duration::s(4);
// Every 5 s, first after 10 s.
inline constexpr Duration kSavedWithin = Duration::s(7);
inline constexpr Duration kFirstSaved = Duration::s(12);

using Place = std::pair<std::string, int>;  // Topic and queue.

// A record as a pull gave it.
struct Found {
  std::uint64_t key = 0;
  bool back = false;   // It was sent back.
  bool whole = false;  // Its body is that of its key.
  std::int64_t queue_offset = 0;
  std::int64_t physical = 0;
  std::int64_t store_ms = 0;
};
using FoundLog = std::map<Place, std::vector<Found>>;

enum class Death { none, stop, kill, power };
enum class Torn { perhaps, never };
enum class Pool { off, on };  // transientStorePoolEnable.

class BrokerModel {
 public:
  BrokerModel(FlushDiskType flush, Torn torn, Pool pool)
      : flush_(flush), torn_records_(torn), pool_(pool) {}

  struct Message {
    std::uint64_t key = 0;
    bool back = false;  // A pulled message on its way back: a second one of its key.
    int queue = 0;
    int bytes = 0;
    int level = 0;  // 0: not delayed.
    std::int64_t asked_ns = 0;
    std::int64_t asked_ms = 0;  // Wall time.
    std::optional<std::int64_t> answered_ns;
    std::optional<std::int64_t> physical;  // As the answer says.
    std::optional<std::int64_t> queue_offset;
    bool gone = false;
    bool lost_copy = false;  // A power loss may have taken the copy that was put into its queue.
    Place home() const {
      if (level > 0) return {"SCHEDULE_TOPIC_XXXX", level - 1};
      return {kTopic, queue};
    }
    Place place_of_copy() const { return back ? Place(kRetries, 0) : Place(kTopic, queue); }
    std::int64_t due_ms() const { return asked_ms + (level == 1 ? 1'000 : 5'000); }
  };

  std::uint64_t next_key() const { return keys_ + 1; }
  Message& sent(Message message) {
    if (!message.back) keys_ = std::max(keys_, message.key);
    return messages_[{message.key, message.back}] = message;
  }
  Message* find(std::uint64_t key, bool back) {
    const auto found = messages_.find({key, back});
    return found == messages_.end() ? nullptr : &found->second;
  }
  const auto& messages() const { return messages_; }

  // A pull gave these from `from` on.
  std::string handed_out(int queue, std::int64_t from, const std::vector<Found>& records,
                         std::int64_t now_ns) {
    std::string trouble = dense({kTopic, queue}, records, from);
    if (!trouble.empty()) return trouble;
    for (const Found& record : records) {
      if (torn_.contains(record.physical)) continue;
      trouble = known({kTopic, queue}, record);
      if (!trouble.empty()) return trouble;
      pulled_.push_back({queue, record, now_ns});
    }
    return {};
  }
  struct Pulled {
    int queue = 0;
    Found record;
    std::int64_t at_ns = 0;
  };
  const std::vector<Pulled>& pulled() const { return pulled_; }

  // The broker serves; since `death` it has not been asked for anything.
  void died(Death death, std::int64_t at_ns) {
    if (death == Death::none) return;
    ++deaths_;
    death_ = std::max(death_, death);
    if (!died_ns_) died_ns_ = at_ns;
    for (auto& [id, message] : messages_) {
      const std::int64_t now_ms = message.asked_ms + (at_ns - message.asked_ns) / 1'000'000;
      const bool due = message.level > 0 && message.due_ms() <= now_ms;
      if (loses_answered(death) && due) message.lost_copy = true;
    }
  }

  // Law 1 to 6: the whole log, once the broker serves again and nothing is on its way to it.
  std::string audit(const FoundLog& log) {
    std::map<std::pair<std::uint64_t, bool>, const Found*> homes;
    std::map<std::pair<std::uint64_t, bool>, int> copies;
    std::set<std::int64_t> physicals;
    for (const auto& [place, records] : log) {
      std::string trouble = dense(place, records, 0);
      for (std::size_t i = 0; trouble.empty() && i < records.size(); ++i) {
        const Found& record = records[i];
        physicals.insert(record.physical);
        if (is_torn(place, record)) continue;
        trouble = known(place, record);
        if (!trouble.empty()) break;
        const std::pair id(record.key, record.back);
        const Message& message = messages_.at(id);
        if (place != message.home()) {
          if (++copies[id] > 1 + deaths_) trouble = name(message) + " was delivered too often";
        } else if (!homes.emplace(id, &record).second) {
          trouble = name(message) + " is there twice";
        }
      }
      if (!trouble.empty()) return trouble;
    }
    return losses(homes, physicals);
  }

  // Law 7, when every delay is over.
  std::string all_delivered(const FoundLog& log) const {
    for (const auto& [id, message] : messages_) {
      if (message.level == 0 || message.gone || !message.answered_ns) continue;
      // What a flush has not covered yet goes, though the message that waits stays.
      if (flush_ == FlushDiskType::async_flush && message.lost_copy) continue;
      const auto place = log.find(message.place_of_copy());
      const auto is_it = [&](const Found& record) {
        return record.key == id.first && record.back == id.second;
      };
      if (place == log.end() || std::ranges::none_of(place->second, is_it)) {
        return name(message) + " was never delivered";
      }
    }
    return {};
  }

  // Whether the answer was given and the message must be there.
  static bool stands(const Message& message) {
    return message.answered_ns.has_value() && message.physical.has_value() && !message.gone;
  }

  // Law 8. Gives the number of the commit, for when it is answered.
  std::size_t committed(int queue, std::int64_t offset) {
    commits_[queue].push_back({offset, INT64_MAX});
    return commits_[queue].size() - 1;
  }
  void commit_answered(int queue, std::size_t commit, std::int64_t now_ns) {
    commits_[queue].at(commit).answered_ns = now_ns;
  }
  std::string offset_after_death(int queue, std::optional<std::int64_t> offset, std::int64_t end,
                                 std::int64_t served_from_ns) {
    const std::string which = "the offset of queue " + std::to_string(queue);
    if (offset && *offset > end) return which + " is behind its end";
    std::vector<Commit>& all = commits_[queue];
    const std::int64_t saved_ns = saved_until(served_from_ns);
    std::size_t oldest = 0;  // It may be this commit, counted from 1, or a later one; 0: none.
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].answered_ns <= saved_ns) oldest = i + 1;
    }
    if (!offset) {
      if (oldest > 0) return which + " is lost";
    } else {
      const auto fits = [&](const Commit& commit) {
        return commit.offset == *offset || (commit.offset > *offset && *offset == end);
      };
      const std::size_t from = oldest > 0 ? oldest - 1 : 0;
      if (std::none_of(all.begin() + static_cast<std::ptrdiff_t>(from), all.end(), fits)) {
        return which + " is " + std::to_string(*offset) +
               ", which is too old or was never committed";
      }
    }
    all.clear();
    if (offset) all.push_back({*offset, 0});
    return {};
  }
  // What was found out about the last death counts no longer.
  void settled() {
    death_ = Death::none;
    died_ns_.reset();
  }

 private:
  using Id = std::pair<std::uint64_t, bool>;
  struct Commit {
    std::int64_t offset = 0;
    std::int64_t answered_ns = 0;
  };

  static std::string name(const Message& message) {
    return std::string(message.back ? "sent back " : "") + "message " + std::to_string(message.key);
  }
  static std::string at(const Place& place, std::int64_t offset) {
    return place.first + "/" + std::to_string(place.second) + " at " + std::to_string(offset);
  }

  static std::string dense(const Place& place, const std::vector<Found>& records,
                           std::int64_t from) {
    std::int64_t physical = -1;
    for (std::size_t i = 0; i < records.size(); ++i) {
      const std::int64_t expected = from + static_cast<std::int64_t>(i);
      if (records[i].queue_offset != expected) {
        return at(place, expected) + " is number " + std::to_string(records[i].queue_offset);
      }
      if (records[i].physical <= physical)
        return at(place, expected) + " lies in front of the last";
      physical = records[i].physical;
    }
    return {};
  }

  std::string known(const Place& place, const Found& record) {
    const auto found = messages_.find({record.key, record.back});
    const std::string where = at(place, record.queue_offset);
    if (found == messages_.end()) return where + " was never sent";
    const Message& message = found->second;
    if (!record.whole) return where + " is damaged";
    if (place == message.home()) {
      if (message.gone) return where + ": " + name(message) + " was gone and is back";
      const bool elsewhere = (message.physical && *message.physical != record.physical) ||
                             (message.queue_offset && *message.queue_offset != record.queue_offset);
      if (elsewhere) return where + ": " + name(message) + " was answered for another place";
      return {};
    }
    if (message.level == 0 || place != message.place_of_copy()) {
      return where + ": " + name(message) + " does not belong there";
    }
    if (record.store_ms < message.due_ms()) return where + ": " + name(message) + " is too early";
    return {};
  }

  bool is_torn(const Place& place, const Found& record) {
    if (torn_.contains(record.physical)) return true;
    if (torn_records_ == Torn::never) return false;
    if (death_ != Death::power || (record.whole && !is_astray(place, record))) return false;
    const auto needed = [&](const auto& entry) {
      const Message& message = entry.second;
      return message.physical == record.physical && survives(death_, *message.answered_ns);
    };
    if (std::ranges::any_of(messages_, needed)) return false;
    torn_.insert(record.physical);
    return true;
  }

  // Without its last properties a message that was sent back looks like the first one of its key.
  bool is_astray(const Place& place, const Found& record) const {
    const auto found = messages_.find({record.key, record.back});
    if (found == messages_.end()) return false;
    const Message& message = found->second;
    return place != message.home() && (message.level == 0 || place != message.place_of_copy());
  }

  // Whether such a death may take what was answered a moment ago.
  bool loses_answered(Death death) const {
    return death == Death::power || (death == Death::kill && pool_ == Pool::on);
  }
  bool survives(Death death, std::int64_t since_ns) const {
    if (!loses_answered(death) || flush_ == FlushDiskType::sync_flush) return true;
    return since_ns + kFlushedWithin.count_ns() <= *died_ns_;
  }
  // What a consumer has seen is at least in the page cache.
  bool consumed_survives(std::int64_t since_ns) const {
    return death_ != Death::power || survives(death_, since_ns);
  }

  std::string losses(const std::map<Id, const Found*>& homes,
                     const std::set<std::int64_t>& physicals) {
    std::optional<std::int64_t> first_lost;
    for (auto& [id, message] : messages_) {
      if (homes.contains(id) || message.gone) continue;
      if (message.answered_ns && survives(death_, *message.answered_ns)) {
        return name(message) + " is lost";
      }
      message.gone = true;
      if (!message.answered_ns || !message.physical) continue;
      if (torn_.contains(*message.physical)) continue;
      first_lost = std::min(first_lost.value_or(*message.physical), *message.physical);
    }
    for (const auto& [id, found] : homes) {
      const Message& message = messages_.at(id);
      const bool older = message.answered_ns && message.physical;
      if (first_lost && older && *message.physical > *first_lost) {
        return name(message) + " is there, though one in front of it is lost";
      }
    }
    for (const Pulled& pulled : pulled_) {
      if (!physicals.contains(pulled.record.physical) && consumed_survives(pulled.at_ns)) {
        return "message " + std::to_string(pulled.record.key) + " was consumed and is lost";
      }
    }
    std::erase_if(
        pulled_, [&](const Pulled& pulled) { return !physicals.contains(pulled.record.physical); });
    return {};
  }

  std::int64_t saved_until(std::int64_t served_from_ns) const {
    if (death_ == Death::none || death_ == Death::stop) return INT64_MAX - 1;
    const std::int64_t died_ns = *died_ns_;
    if (died_ns < served_from_ns + kFirstSaved.count_ns()) return 0;
    return died_ns - kSavedWithin.count_ns();
  }

  FlushDiskType flush_;
  Torn torn_records_;
  Pool pool_;
  std::uint64_t keys_ = 0;
  std::map<Id, Message> messages_;
  std::vector<Pulled> pulled_;
  std::set<std::int64_t> torn_;  // Places of records that lack their properties.
  std::map<int, std::vector<Commit>> commits_;
  int deaths_ = 0;
  Death death_ = Death::none;            // The worst since the last audit.
  std::optional<std::int64_t> died_ns_;  // When.
};

}  // namespace drydock::test
