// Pulls and consumer offsets as clients see them, over the simulated network. Facts: storage
// reference, 3.5 to 3.7 and 1.2.
#include <gtest/gtest.h>

#include "engine/wire/consumer_offset.hpp"
#include "engine/wire/pull_message.hpp"
#include "engine/wire/tag_expression.hpp"
#include "tests/support/raw_client.hpp"

namespace drydock::test {
namespace {

constexpr std::string_view kTopicsFile = "/store/config/topics.json";
constexpr std::string_view kOffsetsFile = "/store/config/consumerOffset.json";

PullMessageHeader pull_of(std::int64_t offset, std::int32_t sys_flag = pull_flag::kSubscription) {
  PullMessageHeader header;
  header.consumer_group = "G";
  header.topic = "orders";
  header.queue_offset = offset;
  header.sys_flag = sys_flag;
  return header;
}
PullMessageHeader held_pull_of(std::int64_t offset, Duration suspend = Duration::s(15)) {
  PullMessageHeader header = pull_of(offset, pull_flag::kSubscription | pull_flag::kSuspend);
  header.suspend_timeout_ms = suspend.count_ms();
  return header;
}
template <class Fields>
SharedBytes request(RequestCode code, const Fields& fields) {
  return encode_command(request_head(code, 1), fields, {}, {});
}
SharedBytes pull(const PullMessageHeader& header) {
  return request(RequestCode::pull_message, header);
}

ConsumerOffsetHeader place(std::optional<std::int64_t> commit = {}) {
  ConsumerOffsetHeader header;
  header.consumer_group = "G";
  header.queue = {"orders", 0};
  header.commit_offset = commit;
  return header;
}

OutgoingMessage tagged(std::uint64_t key, std::string_view tag) {
  OutgoingMessage message = outgoing(key);
  message.tags = SharedBytes::copy_of(tag);
  return message;
}

// What a response says, for comparison.
struct Seen {
  std::int32_t code = -1;
  std::int64_t next = -1;
  std::string keys;  // Of the records.
  std::string status;
  friend bool operator==(const Seen&, const Seen&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Seen& seen) {
    return out << seen.code << " next " << seen.next << " keys [" << seen.keys << "] "
               << seen.status;
  }
};
Seen seen(const RemotingCommand& response) {
  Seen result{.code = response.head.code, .status = std::string(as_text(response.remark.span()))};
  const auto fields = decode_pull_message_response(response.ext_fields.span());
  if (fields) result.next = fields->next.value();
  const bool whole = for_each_record(response.body.span(), [&](auto, const RecordView& view) {
    result.keys += std::string(find_property(as_text(view.properties), "KEYS")) + " ";
  });
  EXPECT_TRUE(whole);
  return result;
}
Seen seen(const std::vector<RemotingCommand>& responses) {
  return responses.size() == 1 ? seen(responses[0]) : Seen();
}

class BrokerPull : public ::testing::Test {
 protected:
  explicit BrokerPull(BrokerConfiguration configuration = small_broker())
      : world(std::move(configuration)) {
    process = &world.start_broker();
    started = world.now();
    sender.emplace(world);
  }
  void send(std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t key = first; key <= last; ++key) send(outgoing(key));
  }
  void send(OutgoingMessage message) {
    const PendingSend sent = sender->send(std::move(message));
    world.run_for(Duration::ms(20));
    ASSERT_EQ(sent->status(), SendStatus::acked);
  }
  RawClient& client() {
    if (!client_) client_.emplace(world);
    return *client_;
  }
  Seen ask(const PullMessageHeader& header) { return seen(client().ask(pull(header))); }
  std::int32_t code_of(RequestCode code, const auto& fields) {
    return client().code_of(request(code, fields));
  }
  // The offset in an answer, or minus its code.
  std::int64_t offset_of(RequestCode code, const auto& fields) {
    const auto responses = client().ask(request(code, fields));
    if (responses.size() != 1) return -999;
    if (responses[0].head.code != 0) return -responses[0].head.code;
    return decode_offset_response(responses[0].ext_fields.span())
        .value_or(QueueOffset(-998))
        .value();
  }
  void restart() {
    client_.reset();
    process = &world.start_broker();
    world.run_for(Duration::s(2));
  }
  void kill_and_restart() {
    process->kill();
    world.run_for(Duration::s(1));
    restart();
  }
  std::string text_of_file(std::string_view path) {
    return std::string(as_text(world.files.at(std::string(path)).cached));
  }

  BrokerWorld world;
  sim::SimProcess* process = nullptr;
  Duration started;
  std::optional<Client> sender;

 private:
  std::optional<RawClient> client_;
};

TEST_F(BrokerPull, RecordsComeAsTheyAreStored) {
  send(1, 3);
  const auto responses = client().ask(pull(pull_of(0)));
  ASSERT_EQ(responses.size(), 1u);
  EXPECT_EQ(seen(responses[0]), (Seen{0, 3, "1 2 3 ", "FOUND"}));
  const auto body = as_text(responses[0].body.span());
  const auto& log = world.files.at("/store/commitlog/00000000000000000000").cached;
  EXPECT_EQ(body, as_text(std::span(log).first(body.size())));
  const auto fields = decode_pull_message_response(responses[0].ext_fields.span());
  ASSERT_TRUE(fields.has_value());
  EXPECT_EQ(fields->min, QueueOffset(0));
  EXPECT_EQ(fields->max, QueueOffset(3));
  EXPECT_EQ(fields->suggested_broker_id, 0);
}

TEST_F(BrokerPull, APullReturnsAtMost32Messages) {
  send(1, 40);
  PullMessageHeader header = pull_of(0);
  header.message_count_max = 100;
  EXPECT_EQ(ask(header).next, 32);
  EXPECT_EQ(ask(pull_of(32)).next, 40);
  header.message_count_max = 2;
  EXPECT_EQ(ask(header), (Seen{0, 2, "1 2 ", "FOUND"}));
}

TEST_F(BrokerPull, OffsetsOutsideTheQueueAreToldWhereToGoOn) {
  send(1, 3);
  EXPECT_EQ(ask(pull_of(3)), (Seen{19, 3, "", "OFFSET_OVERFLOW_ONE"}));
  EXPECT_EQ(ask(pull_of(4)), (Seen{21, 3, "", "OFFSET_OVERFLOW_BADLY"}));
  EXPECT_EQ(ask(pull_of(-1)), (Seen{21, 0, "", "OFFSET_TOO_SMALL"}));
  PullMessageHeader empty = pull_of(0);
  empty.queue_id = 2;
  EXPECT_EQ(ask(empty), (Seen{19, 0, "", "NO_MESSAGE_IN_QUEUE"}));
  empty.queue_offset = 9;
  EXPECT_EQ(ask(empty), (Seen{21, 0, "", "NO_MESSAGE_IN_QUEUE"}));
}

TEST_F(BrokerPull, WhatCannotBeServedIsRefused) {
  send(1, 1);
  PullMessageHeader unknown = pull_of(0);
  unknown.topic = "nobody";
  EXPECT_EQ(ask(unknown).code, 17);
  PullMessageHeader queue = pull_of(0);
  queue.queue_id = 4;
  EXPECT_EQ(ask(queue).code, 29);
  queue.queue_id = -1;
  EXPECT_EQ(ask(queue).code, 29);
  PullMessageHeader sql = pull_of(0);
  sql.expression_type = "SQL92";
  EXPECT_EQ(ask(sql).code, 1);
  PullMessageHeader no_tag = pull_of(0);
  no_tag.subscription = "||";
  EXPECT_EQ(ask(no_tag).code, 23);
  PullMessageHeader unreadable = pull_of(0);
  unreadable.topic = "rmq_sys_SYNC_BROKER_MEMBER_broker";
  EXPECT_EQ(ask(unreadable).code, 16);
  EXPECT_EQ(code_of(RequestCode::pull_message, NoFields()), 1);
}

TEST_F(BrokerPull, NamesTooLongToBeKeptOrRepeatedAreRefused) {
  send(1, 1);
  const std::string name(256, 'n');
  PullMessageHeader topic = pull_of(0);
  topic.topic = name;
  EXPECT_EQ(ask(topic).code, 1);
  PullMessageHeader group = pull_of(0);
  group.consumer_group = name;
  EXPECT_EQ(ask(group).code, 1);
  ConsumerOffsetHeader committed = place(1);
  committed.consumer_group = name;
  EXPECT_EQ(code_of(RequestCode::update_consumer_offset, committed), 1);
  const std::string long_type(1'000'000, 'S');
  PullMessageHeader type = pull_of(0);
  type.expression_type = long_type;
  const Seen seen = ask(type);
  EXPECT_EQ(seen.code, 1);
  EXPECT_EQ(seen.status,
            "The broker does not support consumer to filter message by " + std::string(200, 'S'));
}

TEST_F(BrokerPull, OnlyMessagesWithAWantedTagCome) {
  send(tagged(1, "a"));
  send(tagged(2, "b"));
  send(tagged(3, "c"));
  PullMessageHeader header = pull_of(0);
  header.subscription = "a || c";
  EXPECT_EQ(ask(header), (Seen{0, 3, "1 3 ", "FOUND"}));
  header.subscription = "d";
  EXPECT_EQ(ask(header), (Seen{20, 3, "", "NO_MATCHED_MESSAGE"}));
}

TEST_F(BrokerPull, ALongSubscriptionIsRefused) {
  send(tagged(1, "a"));
  PullMessageHeader header = pull_of(0);
  std::string longest = "a||" + std::string(kTagExpressionBytesMax - 3, 'b');
  header.subscription = longest;
  EXPECT_EQ(ask(header).keys, "1 ");
  longest += 'b';
  header.subscription = longest;
  EXPECT_EQ(ask(header).code, 23);
}

TEST_F(BrokerPull, APullIsHeldUntilAMessageArrives) {
  send(1, 1);
  client().send(pull(held_pull_of(1)));
  EXPECT_TRUE(client().responses_within(Duration::s(3)).empty());
  const PendingSend sent = sender->send(outgoing(2));
  EXPECT_EQ(seen(client().responses_within(Duration::ms(10))), (Seen{0, 2, "2 ", "FOUND"}));
  EXPECT_EQ(sent->status(), SendStatus::acked);
}

// Sweeps come every 5 s: a pull whose 7 s are over is answered at the next one.
TEST_F(BrokerPull, AHeldPullWhoseTimeIsUpIsAnsweredAtTheNextSweep) {
  send(1, 1);
  client();
  world.run_to(started + Duration::s(11));
  client().send(pull(held_pull_of(1, Duration::s(7))));
  EXPECT_TRUE(client().responses_within(started + Duration::s(20) - world.now()).empty());
  EXPECT_EQ(seen(client().responses_within(Duration::ms(100))),
            (Seen{19, 1, "", "OFFSET_OVERFLOW_ONE"}));
}

TEST_F(BrokerPull, AHeldPullWaitsForATagThatItWants) {
  send(tagged(1, "a"));
  PullMessageHeader header = held_pull_of(1);
  header.subscription = "a";
  client().send(pull(header));
  world.run_for(Duration::ms(100));
  send(tagged(2, "b"));
  EXPECT_TRUE(client().responses_within(Duration::ms(100)).empty());
  const PendingSend sent = sender->send(tagged(3, "a"));
  EXPECT_EQ(seen(client().responses_within(Duration::ms(10))), (Seen{0, 3, "3 ", "FOUND"}));
}

// It took no part in the answer before: an offset outside the queue is no reason to wait.
TEST_F(BrokerPull, OnlyAPullThatFindsNothingIsHeld) {
  send(1, 1);
  EXPECT_EQ(ask(held_pull_of(5)).code, 21);
  EXPECT_EQ(ask(held_pull_of(0)).code, 0);
  EXPECT_EQ(ask(pull_of(1)).code, 19);
}

TEST_F(BrokerPull, AHeldPullOfAClientThatIsGoneHarmsNobody) {
  send(1, 1);
  {
    RawClient gone(world);
    gone.send(pull(held_pull_of(1)));
    world.run_for(Duration::ms(100));
    gone.actor().process().kill();
  }
  world.run_for(Duration::ms(100));
  send(2, 2);
  EXPECT_EQ(ask(pull_of(1)).keys, "2 ");
}

SharedBytes held_pulls(std::size_t count) {
  const SharedBytes one = pull(held_pull_of(1, Duration::s(60)));
  SharedBytes all = SharedBytes::allocate(one.size() * count);
  BigEndianWriter writer(all.writable());
  for (std::size_t i = 0; i < count; ++i) writer.bytes(one.span());
  return all;
}

TEST_F(BrokerPull, OneConnectionHolds4096PullsAtMost) {
  send(1, 1);
  client().send(held_pulls(4'096));
  EXPECT_TRUE(client().responses_within(Duration::s(3)).empty());
  EXPECT_EQ(ask(held_pull_of(1)).code, 19);
  EXPECT_TRUE(RawClient(world).ask(pull(held_pull_of(1))).empty());
}

// 65,536 are held over all connections.
TEST_F(BrokerPull, ClientsThatAreGoneHoldNoPlaces) {
  send(1, 1);
  for (int i = 0; i < 16; ++i) {
    RawClient gone(world);
    gone.send(held_pulls(4'096));
    world.run_for(Duration::ms(200));
    gone.actor().process().kill();
    world.run_for(Duration::ms(10));
  }
  EXPECT_TRUE(client().ask(pull(held_pull_of(1))).empty());
  const PendingSend sent = sender->send(outgoing(2));
  EXPECT_EQ(seen(client().responses_within(Duration::ms(10))).keys, "2 ");
}

TEST_F(BrokerPull, AMinuteIsTheLongestThatAPullIsHeld) {
  send(1, 1);
  client().send(pull(held_pull_of(1, Duration::s(3'600))));
  EXPECT_TRUE(client().responses_within(Duration::s(59)).empty());
  EXPECT_EQ(seen(client().responses_within(Duration::s(7))).code, 19);
}

TEST_F(BrokerPull, TheEndsOfAQueue) {
  send(1, 3);
  EXPECT_EQ(offset_of(RequestCode::get_max_offset, QueueHeader{"orders", 0}), 3);
  EXPECT_EQ(offset_of(RequestCode::get_min_offset, QueueHeader{"orders", 0}), 0);
  EXPECT_EQ(offset_of(RequestCode::get_max_offset, QueueHeader{"orders", 1}), 0);
  EXPECT_EQ(offset_of(RequestCode::get_max_offset, QueueHeader{"nobody", 1}), 0);
  EXPECT_EQ(code_of(RequestCode::get_max_offset, NoFields()), 1);
}

TEST_F(BrokerPull, OffsetsOfAGroupAreKept) {
  send(1, 3);
  EXPECT_EQ(offset_of(RequestCode::query_consumer_offset, place()), 0);  // All is in memory.
  ConsumerOffsetHeader strict = place();
  strict.set_zero_if_not_found = false;
  EXPECT_EQ(offset_of(RequestCode::query_consumer_offset, strict), -22);
  EXPECT_EQ(code_of(RequestCode::update_consumer_offset, place(2)), 0);
  EXPECT_EQ(offset_of(RequestCode::query_consumer_offset, place()), 2);
  EXPECT_EQ(code_of(RequestCode::update_consumer_offset, place(1)), 0);  // Backwards, too.
  EXPECT_EQ(offset_of(RequestCode::query_consumer_offset, strict), 1);
  EXPECT_EQ(code_of(RequestCode::update_consumer_offset, place()), 1);
  ConsumerOffsetHeader unknown = place(1);
  unknown.queue.topic = "nobody";
  EXPECT_EQ(code_of(RequestCode::update_consumer_offset, unknown), 17);
  ConsumerOffsetHeader beyond = place(1);
  beyond.queue.queue_id = 4;  // The topic has 4.
  EXPECT_EQ(code_of(RequestCode::update_consumer_offset, beyond), 29);
}

TEST_F(BrokerPull, APullCommitsAnOffset) {
  send(1, 3);
  PullMessageHeader header =
      pull_of(2, pull_flag::kSubscription | pull_flag::kCommitOffset | pull_flag::kSuspend);
  header.commit_offset = 2;
  EXPECT_EQ(ask(header).code, 0);
  EXPECT_EQ(offset_of(RequestCode::query_consumer_offset, place()), 2);
}

// First after 10 s, then every 5 s.
TEST_F(BrokerPull, OffsetsSurviveAKillOnceTheyAreWritten) {
  send(1, 3);
  ASSERT_EQ(code_of(RequestCode::update_consumer_offset, place(2)), 0);
  world.run_to(started + Duration::ms(9'990));
  EXPECT_FALSE(world.files.exists(std::string(kOffsetsFile)));
  world.run_to(started + Duration::ms(10'010));
  EXPECT_TRUE(world.files.exists(std::string(kOffsetsFile)));
  ASSERT_EQ(code_of(RequestCode::update_consumer_offset, place(3)), 0);
  kill_and_restart();
  EXPECT_EQ(offset_of(RequestCode::query_consumer_offset, place()), 2);
}

TEST_F(BrokerPull, AnOrderlyStopWritesOffsetsAtOnce) {
  send(1, 3);
  ASSERT_EQ(code_of(RequestCode::update_consumer_offset, place(2)), 0);
  process->terminate();
  world.run_for(Duration::s(1));
  restart();
  EXPECT_EQ(offset_of(RequestCode::query_consumer_offset, place()), 2);
}

TEST_F(BrokerPull, ADamagedFileIsReplacedByItsBackup) {
  send(1, 3);
  for (const std::int64_t offset : {2, 3}) {
    ASSERT_EQ(code_of(RequestCode::update_consumer_offset, place(offset)), 0);
    world.run_for(Duration::s(10));
  }
  EXPECT_NE(text_of_file(kOffsetsFile).find("0:3"), std::string::npos);
  EXPECT_NE(text_of_file(std::string(kOffsetsFile) + ".bak").find("0:2"), std::string::npos);
  process->kill();
  world.run_for(Duration::s(1));
  world.files.at(std::string(kOffsetsFile)).cached.resize(20);
  restart();
  EXPECT_EQ(offset_of(RequestCode::query_consumer_offset, place()), 2);
}

TEST_F(BrokerPull, ABrokerWithTwoDamagedFilesDoesNotStart) {
  const std::uint64_t served = world.count(EventName::serving_started);
  process->kill();
  world.run_for(Duration::s(1));
  for (const std::string_view end : {"", ".bak"}) {
    world.files.put(std::string(kOffsetsFile) + std::string(end), Bytes(5));
  }
  world.log.clear();
  sim::SimProcess& next = world.start_broker();
  world.run_for(Duration::s(1));
  EXPECT_EQ(next.end(), sim::ProcessEnd::exited);
  EXPECT_EQ(world.count(EventName::serving_started), served);
  ASSERT_FALSE(world.log.empty());
  EXPECT_EQ(world.log.back(), "the consumer offsets can't be loaded: invalid_argument");
}

TEST_F(BrokerPull, ADamagedFileWithoutABackupIsAsNone) {
  process->kill();
  world.run_for(Duration::s(1));
  world.files.put(std::string(kOffsetsFile), Bytes(5));
  restart();
  EXPECT_EQ(process->end(), sim::ProcessEnd::alive);
}

// A topic exists from the answer to its first send on, also after a kill right then.
TEST_F(BrokerPull, TopicsSurviveAKill) {
  send(1, 3);
  EXPECT_TRUE(world.files.exists(std::string(kTopicsFile)));
  kill_and_restart();
  EXPECT_EQ(ask(pull_of(0)).keys, "1 2 3 ");
}

class BrokerPullHardened : public BrokerPull {
 protected:
  static BrokerConfiguration hardened() {
    BrokerConfiguration configuration = small_broker();
    configuration.store.behaviour.set(BehaviourSwitch::config_rewritten_in_place,
                                      BehaviourValue::hardened);
    return configuration;
  }
  BrokerPullHardened() : BrokerPull(hardened()) {}
  // Commits an offset that the first round, after 10 s, fails to write.
  void fail_to_save() {
    send(1, 3);
    ASSERT_EQ(code_of(RequestCode::update_consumer_offset, place(2)), 0);
    world.files.failing_path = "consumerOffset";
    world.files.sync_failures = 1;
    world.run_to(started + Duration::ms(10'010));
    ASSERT_EQ(world.files.sync_failures, 0);
    ASSERT_FALSE(world.files.exists(std::string(kOffsetsFile)));
  }
};

TEST_F(BrokerPullHardened, OffsetsThatCouldNotBeWrittenAreWrittenInTheNextRound) {
  fail_to_save();
  world.run_to(started + Duration::ms(15'010));
  kill_and_restart();
  EXPECT_EQ(offset_of(RequestCode::query_consumer_offset, place()), 2);
}

TEST_F(BrokerPullHardened, OffsetsThatCouldNotBeWrittenAreWrittenAtAnOrderlyStop) {
  fail_to_save();
  process->terminate();
  world.run_for(Duration::s(1));
  restart();
  EXPECT_EQ(offset_of(RequestCode::query_consumer_offset, place()), 2);
}

class BrokerPullShort : public BrokerPull {
 protected:
  static BrokerConfiguration without_long_polling() {
    BrokerConfiguration configuration = small_broker();
    configuration.long_polling_enable = false;
    return configuration;
  }
  BrokerPullShort() : BrokerPull(without_long_polling()) {}
};

// Whatever the client asks for, it is 1 s, and nobody is told of arrivals.
TEST_F(BrokerPullShort, WithoutLongPollingAPullIsHeldForASecondAtMost) {
  send(1, 1);
  client();
  world.run_to(started + Duration::ms(5'500));
  client().send(pull(held_pull_of(1)));
  EXPECT_TRUE(client().responses_within(Duration::ms(1'490)).empty());
  EXPECT_EQ(seen(client().responses_within(Duration::ms(20))).code, 19);
  world.run_to(started + Duration::ms(8'100));
  client().send(pull(held_pull_of(1)));
  world.run_for(Duration::ms(100));
  send(2, 2);
  EXPECT_TRUE(client().responses_within(Duration::ms(700)).empty());
  EXPECT_EQ(seen(client().responses_within(Duration::ms(100))).keys, "2 ");
}

class BrokerPullOneWorker : public BrokerPull {
 protected:
  static BrokerConfiguration one_worker() {
    BrokerConfiguration configuration = small_broker();
    configuration.pull_message_thread_pool_nums = 1;
    return configuration;
  }
  BrokerPullOneWorker() : BrokerPull(one_worker()) {}
};

TEST_F(BrokerPullOneWorker, HeldPullsKeepNoWorker) {
  send(1, 1);
  RawClient other(world);
  for (int i = 0; i < 100; ++i) other.send(pull(held_pull_of(1)));
  world.run_for(Duration::ms(100));
  EXPECT_EQ(ask(pull_of(0)).keys, "1 ");
  const PendingSend sent = sender->send(outgoing(2));
  const auto responses = other.responses_within(Duration::ms(100));
  EXPECT_EQ(responses.size(), 100u);
  for (const RemotingCommand& response : responses) EXPECT_EQ(seen(response).keys, "2 ");
}

}  // namespace
}  // namespace drydock::test
