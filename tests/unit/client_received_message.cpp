// The body of a pull's answer as a consumer reads it: what is damaged takes nothing else with it.
#include "engine/client/received_message.hpp"

#include <gtest/gtest.h>

namespace drydock::test {
namespace {

constexpr std::int64_t kFirstOffset = 5;
constexpr std::size_t kBodyAt = 88;  // Storage reference, section 2, with short hosts.

// Four records of the queue "b"/2, with the bodies "one" to "four".
class ReceivedMessages : public ::testing::Test {
 protected:
  ReceivedMessages() {
    std::int64_t offset = kFirstOffset;
    for (const std::string_view body : {"one", "two", "three", "four"}) {
      RecordContent content;
      content.queue_id = 2;
      content.body = as_byte_span(body);
      content.topic = as_byte_span("T");
      SharedBytes record = encode_record(content);
      place_record(record.writable(), {QueueOffset(offset), PhysicalOffset(offset * 100), 1});
      ++offset;
      starts.push_back(bytes.size());
      bytes += as_text(record.span());
    }
  }
  ReadRecords read() const {
    return read_records(SharedBytes::copy_of(bytes), MessageQueue{"b", 2}, TagSet("*"));
  }
  static std::string bodies(const ReadRecords& read) {
    std::string all;
    for (const ReceivedMessage& message : read.messages) {
      all += std::string(as_text(message.body.span())) + " ";
    }
    return all;
  }

  std::string bytes;
  std::vector<std::size_t> starts;
};

TEST_F(ReceivedMessages, WholeOnesComeAndNothingIsDamaged) {
  EXPECT_EQ(bodies(read()), "one two three four ");
  EXPECT_TRUE(read().damaged.empty());
}

TEST_F(ReceivedMessages, AWrongByteTakesOneMessageAndIsTold) {
  bytes[starts[1] + kBodyAt] ^= 1;
  const ReadRecords result = read();
  EXPECT_EQ(bodies(result), "one three four ");
  ASSERT_EQ(result.damaged.size(), 1u);
  EXPECT_EQ(describe(result.damaged[0]),
            "queue b/2: a record of 95 bytes is damaged and passed over (wrong body checksum); it "
            "says of itself: queue offset 6, store offset 600");
}

TEST_F(ReceivedMessages, TheLastAndTheFirstMayBeDamaged) {
  bytes[starts[0] + 4] ^= 1;  // Its magic.
  bytes[starts[3] + kBodyAt] ^= 1;
  const ReadRecords result = read();
  EXPECT_EQ(bodies(result), "two three ");
  EXPECT_EQ(result.damaged.size(), 2u);
}

// Nobody knows where the next one begins: all the rest is told as one piece.
TEST_F(ReceivedMessages, ALengthThatCannotBeTrueEndsTheBody) {
  for (const int wrong : {0x01, 0x7f, 0x80}) {
    const std::string before = bytes;
    bytes[starts[1] + 3] = static_cast<char>(bytes[starts[1] + 3] ^ wrong);
    const ReadRecords result = read();
    EXPECT_EQ(bodies(result), "one ") << wrong;
    ASSERT_EQ(result.damaged.size(), 1u) << wrong;
    EXPECT_EQ(result.damaged[0].bytes, bytes.size() - starts[1]) << wrong;
    bytes = before;
  }
}

}  // namespace
}  // namespace drydock::test
