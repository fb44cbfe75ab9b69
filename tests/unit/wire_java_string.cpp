// Java's string hash against the golden vectors of the storage reference (2.12), and over
// characters of every length.
#include "engine/wire/java_string.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace drydock::test {
namespace {

TEST(WireJavaString, HashesOfTheReference) {
  EXPECT_EQ(java_string_hash(""), 0);
  EXPECT_EQ(java_string_hash("TagA"), 2'598'919);
  EXPECT_EQ(java_string_hash("TagB"), 2'598'920);
  EXPECT_EQ(java_string_hash("TopicTest-3"), 1'247'014'823);
  EXPECT_EQ(java_string_hash("polygenelubricants"), std::numeric_limits<std::int32_t>::min());
}

TEST(WireJavaString, CountsUtf16CodeUnits) {
  EXPECT_EQ(java_string_hash("\xc3\xa4"), 0xe4);
  EXPECT_EQ(java_string_hash("\xe6\xb0\xb4"), 0x6c34);
  EXPECT_EQ(java_string_hash("\xf0\x9f\x9a\xa2"), 31 * 0xd83d + 0xdea2);  // U+1F6A2
}

// One replacement for each longest piece that could have begun a character.
TEST(WireJavaString, MalformedPiecesCountAsReplacements) {
  constexpr std::int32_t kReplacement = 0xfffd;
  EXPECT_EQ(java_string_hash("\xff"), kReplacement);
  EXPECT_EQ(java_string_hash("\x80"), kReplacement);
  EXPECT_EQ(java_string_hash("\xe6\xb0"), kReplacement);                      // Cut off.
  EXPECT_EQ(java_string_hash("\xe6\xb0Z"), 31 * kReplacement + 'Z');          // Broken off.
  EXPECT_EQ(java_string_hash("\xed\xa0"), 31 * kReplacement + kReplacement);  // A surrogate.
  EXPECT_EQ(java_string_hash("\xc0\x80"), 31 * kReplacement + kReplacement);  // Overlong.
}

}  // namespace
}  // namespace drydock::test
