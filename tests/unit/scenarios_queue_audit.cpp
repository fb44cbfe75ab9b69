// The judge reads queues as a reader does: files made by hand, in which log and queues agree or do
// not, and what the final store then says of each message.
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "scenarios/audit/audit.hpp"
#include "scenarios/audit/queue_entry.hpp"
#include "tests/support/hand_made_log.hpp"
#include "tests/support/memory_files.hpp"
#include "tests/support/world.hpp"

namespace drydock::scenarios {
namespace {

using test::Bytes;

constexpr std::int64_t kLogFileBytes = 4'096;
constexpr std::size_t kEntriesPerFile = 10;

std::string name_of(std::int64_t position) {
  std::string digits = std::to_string(position);
  return std::string(20 - digits.size(), '0') + digits;
}

class QueueAudit : public testing::Test {
 protected:
  struct Message {
    std::int64_t at = 0;
    std::int64_t bytes = 0;
    std::int64_t end() const { return at + bytes; }
  };
  struct Queue {
    std::int64_t first_offset = 0;  // Of entries[0].
    std::vector<Bytes> entries;
  };

  // A message in the log and, unless told otherwise, in its queue. Its key counts from 1.
  Message add(const std::string& topic, std::uint32_t queue_id, bool with_entry = true) {
    const std::uint64_t key = messages.size() + 1;
    const std::string place = topic + "/" + std::to_string(queue_id);
    const test::HandMadeRecord record{.physical_offset = log_begin + end(),
                                      .key = key,
                                      .keys = std::to_string(key),
                                      .topic = topic,
                                      .queue_id = queue_id,
                                      .queue_offset = next_offset[place]++};
    const Bytes bytes = test::encode(record);
    log.insert(log.end(), bytes.begin(), bytes.end());
    messages.push_back({record.physical_offset, static_cast<std::int64_t>(bytes.size())});
    Queue& queue = queues[place];
    if (queue.entries.empty()) queue.first_offset = static_cast<std::int64_t>(record.queue_offset);
    if (with_entry) queue.entries.push_back(entry_of(messages.back()));
    return messages.back();
  }
  static Bytes entry_of(Message message) {
    return test::encode_entry(message.at, static_cast<std::size_t>(message.bytes));
  }
  std::int64_t end() const { return static_cast<std::int64_t>(log.size()); }
  // Closes the present file of the log.
  void roll() {
    const std::int64_t rest = kLogFileBytes - end() % kLogFileBytes;
    test::put(log, static_cast<std::uint64_t>(rest), 4);
    test::put(log, 0xcbd43194, 4);
    log.resize(log.size() + static_cast<std::size_t>(rest) - 8);
  }
  std::vector<Bytes>& drill() { return queues["drill/0"].entries; }

  // Writes all files, with zeros behind what is there, and lets the judge read them.
  reports::FinalStore audit() {
    test::World world;
    test::MemoryFiles files;
    files.clock = &world.host().clock();
    for (std::int64_t at = 0; at < end(); at += kLogFileBytes) {
      Bytes file(log.begin() + at, log.begin() + std::min(at + kLogFileBytes, end()));
      file.resize(kLogFileBytes);
      files.put("/store/commitlog/" + name_of(log_begin + at), file);
    }
    const auto write_queues = [&] {
      for (const auto& [place, queue] : queues) write(files, "/store/consumequeue/" + place, queue);
    };
    if (dispatched_at == Duration()) write_queues();
    if (!lone_file.empty()) files.put("/store/consumequeue/" + lone_file, Bytes(20));
    AuditRequest request;
    request.commit_log_path = "/store/commitlog";
    request.file_bytes = kLogFileBytes;
    request.end_offset = log_begin + end();
    request.consume_queue_path = "/store/consumequeue";
    request.queue_file_bytes = kEntriesPerFile * kQueueEntryBytes - 7;  // Rounded up.
    request.dispatching = [&] { return world.now() < dispatched_at; };
    reports::FinalStore store;
    sim::SimProcess& judge = world.host().spawn("judge");
    judge.attach(std::make_unique<test::NoNetwork>(), files.attach());
    judge.start([&](Context& context) { return run_audit(context, request, store); });
    if (dispatched_at > Duration()) {
      world.run_to(dispatched_at - Duration::ms(1));
      EXPECT_FALSE(store.read);
      EXPECT_TRUE(store.note.contains("the phase judge needs more time")) << store.note;
      write_queues();
    }
    world.run();
    EXPECT_EQ(store.read, lone_file.empty()) << store.note;
    return store;
  }
  void write(test::MemoryFiles& files, const std::string& path, const Queue& queue) const {
    const std::int64_t per_file = kEntriesPerFile;
    const std::int64_t last = queue.first_offset + static_cast<std::int64_t>(queue.entries.size());
    for (std::int64_t first = queue.first_offset / per_file * per_file; first < last;
         first += per_file) {
      if (first == file_left_out) continue;
      Bytes file;
      for (std::int64_t i = first; i < first + per_file; ++i) {
        const std::int64_t index = i - queue.first_offset;
        const bool inside = index >= 0 && i < last;
        const Bytes entry = inside ? queue.entries[static_cast<std::size_t>(index)] : Bytes(20);
        file.insert(file.end(), entry.begin(), entry.end());
      }
      files.put(path + "/" + name_of(first * kQueueEntryBytes), file);
    }
  }

  // The keys of the messages to which no queue leads.
  static std::vector<std::uint64_t> unread(const reports::FinalStore& store) {
    std::vector<std::uint64_t> keys;
    for (const reports::StoredCopy& copy : store.copies) {
      if (!copy.in_queue) keys.push_back(copy.key);
    }
    return keys;
  }
  // "drill/0 at 2 (3 entries) is missing", or empty.
  static std::string damage(const reports::FinalStore& store) {
    std::string text;
    for (const reports::DamagedEntries& entries : store.damaged_entries) {
      text += text.empty() ? "" : "; ";
      text += text_of(store.queues[static_cast<std::size_t>(entries.queue)]) + " at " +
              std::to_string(entries.queue_offset) + " (" + std::to_string(entries.count) + ") " +
              entries.why;
    }
    return text;
  }

  std::int64_t log_begin = 0;
  Bytes log;
  std::vector<Message> messages;
  std::map<std::string, std::uint64_t> next_offset;
  std::map<std::string, Queue> queues;
  std::string lone_file;            // One more, which no broker wrote.
  Duration dispatched_at;           // Only then the queues are there.
  std::int64_t file_left_out = -1;  // Of each queue, the one that begins with this offset.
};

using Keys = std::vector<std::uint64_t>;

TEST(QueueEntries, AreReadByteByByte) {
  // The example of the storage reference: 133 bytes at 4660.
  const Bytes bytes = test::encode_entry(4'660, 133);
  const QueueEntry entry = decode_queue_entry(bytes);
  EXPECT_EQ(entry.physical_offset, 4'660);
  EXPECT_EQ(entry.record_bytes, 133);
  EXPECT_TRUE(entry.present());
  EXPECT_FALSE(decode_queue_entry(Bytes(20)).present());
  EXPECT_FALSE(decode_queue_entry(test::encode_entry(-1, 133)).present());
  EXPECT_TRUE(decode_queue_entry(test::encode_entry(0, 0x7fffffff)).filler());
}

TEST_F(QueueAudit, FindsEveryMessageWhereLogAndQueuesAgree) {
  for (int i = 0; i < 25; ++i) {
    if (i == 12) roll();
    add("drill", i % 2 == 0 ? 0 : 1);
    if (i < 3) add("orders", 0);
  }
  const reports::FinalStore store = audit();
  EXPECT_EQ(store.copies.size(), 28u);
  EXPECT_EQ(unread(store), Keys());
  EXPECT_EQ(damage(store), "");
  EXPECT_TRUE(store.damaged.empty());
  ASSERT_EQ(store.queues.size(), 3u);
  EXPECT_EQ(store.queues[0], (reports::StoredQueue{"drill", 0, 0, 13}));
  EXPECT_EQ(store.queues[1], (reports::StoredQueue{"orders", 0, 0, 3}));
  EXPECT_EQ(store.queues[2], (reports::StoredQueue{"drill", 1, 0, 12}));
}

// Acknowledged, in the log, and for 20 s on the way into its queue.
TEST_F(QueueAudit, ADispatchThatIsHeldUpIsWaitedFor) {
  for (int i = 0; i < 3; ++i) add("drill", 0);
  dispatched_at = Duration::s(20);
  const reports::FinalStore store = audit();
  EXPECT_EQ(unread(store), Keys());
  EXPECT_EQ(store.note, "");
}

TEST_F(QueueAudit, AQueueThatEndsEarlyHidesTheMessagesBehindItsEnd) {
  for (int i = 0; i < 5; ++i) add("drill", 0, i < 3);
  const reports::FinalStore store = audit();
  EXPECT_EQ(unread(store), (Keys{4, 5}));
  EXPECT_EQ(store.queues[0].max_offset, 3);
  EXPECT_EQ(damage(store), "");
}

TEST_F(QueueAudit, AHoleIsDamageAndHidesItsMessages) {
  for (int i = 0; i < 15; ++i) add("drill", 0);
  for (const std::size_t i : {4u, 5u, 12u}) drill()[i] = Bytes(20);
  const reports::FinalStore store = audit();
  EXPECT_EQ(unread(store), (Keys{5, 6, 13}));
  EXPECT_EQ(damage(store), "drill/0 at 4 (2) is missing; drill/0 at 12 (1) is missing");
  EXPECT_EQ(store.queues[0].max_offset, 15);
}

TEST_F(QueueAudit, AMissingFileInTheMiddleIsAHole) {
  for (int i = 0; i < 25; ++i) {
    if (i == 12) roll();
    add("drill", 0);
  }
  file_left_out = 10;
  const reports::FinalStore store = audit();
  EXPECT_EQ(unread(store).size(), 10u);
  EXPECT_EQ(damage(store), "drill/0 at 10 (10) is missing");
}

TEST_F(QueueAudit, AnEntryBehindTheEndOfTheLogIsDamage) {
  for (int i = 0; i < 4; ++i) add("drill", 0);
  drill()[1] = test::encode_entry(end(), 200);
  const reports::FinalStore store = audit();
  EXPECT_EQ(unread(store), Keys{2});
  EXPECT_EQ(damage(store),
            "drill/0 at 1 (1) leads to " + std::to_string(end()) + ", where the log has ended");
}

TEST_F(QueueAudit, ATornEntryLeadsNowhereOrToTheWrongMessage) {
  for (int i = 0; i < 5; ++i) add("drill", 0);
  // A half of each is what the file held before: zeros.
  std::fill_n(drill()[2].begin() + 7, 1, std::byte{0});
  std::fill_n(drill()[3].begin() + 8, 12, std::byte{0});
  std::fill_n(drill()[4].begin(), 8, std::byte{0});
  ASSERT_GT(messages[2].at, 256);
  const reports::FinalStore store = audit();
  EXPECT_EQ(unread(store), (Keys{3, 4, 5}));
  EXPECT_EQ(damage(store),
            "drill/0 at 2 (1) leads to 256, where no record begins; drill/0 at 3 (1) is missing; "
            "drill/0 at 4 (1) leads to the record of offset 0");
}

TEST_F(QueueAudit, AnEntryThatLeadsToAnotherTopicOrQueueIsDamage) {
  add("drill", 0);
  const Message order = add("orders", 7);
  const Message other_queue = add("drill", 1);
  add("drill", 0);
  add("drill", 0);
  drill()[1] = entry_of(order);
  drill()[2] = entry_of(other_queue);
  const reports::FinalStore store = audit();
  // The two are in their own queues all the same.
  EXPECT_EQ(unread(store), (Keys{4, 5}));
  EXPECT_EQ(damage(store), "drill/0 at 1 (2) leads to a record of orders/7");
}

TEST_F(QueueAudit, AnEntryWithTheWrongSizeIsDamage) {
  for (int i = 0; i < 3; ++i) add("drill", 0);
  test::overwrite(drill()[1], 8, 150, 4);
  const reports::FinalStore store = audit();
  EXPECT_EQ(unread(store), Keys{2});
  EXPECT_EQ(damage(store), "drill/0 at 1 (1) says 150 bytes, the record at " +
                               std::to_string(messages[1].at) + " has " +
                               std::to_string(messages[1].bytes));
}

TEST_F(QueueAudit, MessagesAtTheWrongPlaceAreOneFindingAndAreStillRead) {
  for (int i = 0; i < 8; ++i) add("drill", 0);
  drill().erase(drill().begin() + 3);
  const reports::FinalStore store = audit();
  EXPECT_EQ(unread(store), Keys{4});
  EXPECT_EQ(damage(store), "drill/0 at 3 (4) leads to the record of offset 4");
  EXPECT_EQ(store.queues[0].max_offset, 7);
}

TEST_F(QueueAudit, WhatAnEarlierLifeLeftBehindTheEndIsNotThere) {
  const Message first = add("drill", 0);
  add("drill", 1);
  // Into another record, to another queue's, behind the log.
  drill().push_back(test::encode_entry(first.at + 50, 200));
  drill().push_back(entry_of(messages[1]));
  drill().push_back(test::encode_entry(end() + 500, 200));
  const reports::FinalStore store = audit();
  EXPECT_EQ(unread(store), Keys());
  EXPECT_EQ(damage(store), "");
  EXPECT_EQ(store.queues[0].max_offset, 1);
}

TEST_F(QueueAudit, AQueueBeginsWhereTheLogDoes) {
  log_begin = kLogFileBytes;
  next_offset["drill/0"] = 5;
  for (int i = 0; i < 3; ++i) add("drill", 0);
  // In front of them: fillers, and one message that the log has expired.
  std::vector<Bytes> in_front(4, test::encode_entry(0, 0x7fffffff));
  in_front.push_back(test::encode_entry(kLogFileBytes - 200, 200));
  drill().insert(drill().begin(), in_front.begin(), in_front.end());
  queues["drill/0"].first_offset = 0;
  const reports::FinalStore store = audit();
  EXPECT_EQ(unread(store), Keys());
  EXPECT_EQ(damage(store), "");
  EXPECT_EQ(store.queues[0], (reports::StoredQueue{"drill", 0, 5, 8}));
}

TEST_F(QueueAudit, AQueueLeadsPastADamagedRecordToThoseBehindIt) {
  for (int i = 0; i < 6; ++i) add("drill", 0);
  std::fill_n(log.begin() + messages[2].at, 8, std::byte{0});
  const reports::FinalStore store = audit();
  ASSERT_EQ(store.damaged.size(), 1u);
  EXPECT_EQ(store.damaged[0].physical_offset, messages[2].at);
  ASSERT_EQ(store.copies.size(), 5u);
  EXPECT_TRUE(store.copies.back().intact);
  EXPECT_EQ(unread(store), Keys());
  EXPECT_EQ(damage(store), "drill/0 at 2 (1) leads to " + std::to_string(messages[2].at) +
                               ", where no record begins");
  EXPECT_EQ(store.queues[0].max_offset, 6);
}

// Zeros for what is missing would fill the memory.
TEST_F(QueueAudit, AFileFarBehindTheOthersIsNoQueue) {
  add("drill", 0);
  lone_file = "drill/0/" + name_of(std::int64_t{1} << 29);
  EXPECT_NE(audit().note.find("does not follow"), std::string::npos);
}

TEST_F(QueueAudit, AFileThatBeginsAtTheLargestNumbersIsNoQueue) {
  add("drill", 0);
  lone_file = "drill/1/" + name_of(std::numeric_limits<std::int64_t>::max() - 7);
  EXPECT_NE(audit().note.find("begins where no queue ends"), std::string::npos);
}

TEST_F(QueueAudit, WithoutQueuesNothingIsRead) {
  for (int i = 0; i < 3; ++i) add("drill", 0);
  queues.clear();
  const reports::FinalStore store = audit();
  EXPECT_EQ(unread(store), (Keys{1, 2, 3}));
  EXPECT_EQ(damage(store), "");
  EXPECT_EQ(store.queues[0], (reports::StoredQueue{"drill", 0, 0, 0}));
}

}  // namespace
}  // namespace drydock::scenarios
