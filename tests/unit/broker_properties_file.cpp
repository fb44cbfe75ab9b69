// The syntax of properties files, checked against java.util.Properties of Java SE 17.
#include "engine/broker/properties_file.hpp"

#include <gtest/gtest.h>

#include "engine/broker/utf8.hpp"

namespace drydock::test {
namespace {

std::string entries(std::string_view text) {
  std::string all;
  for (const PropertyLine& line : read_properties(text)) {
    all += std::to_string(line.line) + "[" + line.key + "|" + line.value + "]";
  }
  return all;
}

TEST(PropertiesFile, SeparatorsAndBlanks) {
  EXPECT_EQ(entries("a=b"), "1[a|b]");
  EXPECT_EQ(entries("a:b"), "1[a|b]");
  EXPECT_EQ(entries("a b"), "1[a|b]");
  EXPECT_EQ(entries(" \t a \t = \t b c"), "1[a|b c]");
  EXPECT_EQ(entries("a==b"), "1[a|=b]");
  EXPECT_EQ(entries("a"), "1[a|]");
  EXPECT_EQ(entries("a="), "1[a|]");
  EXPECT_EQ(entries("=b"), "1[|b]");
  EXPECT_EQ(entries("a=b \n"), "1[a|b ]");  // Java keeps the blank.
}

TEST(PropertiesFile, CommentsAndEmptyLines) {
  EXPECT_EQ(entries("# a=1\n  ! b=2\n\n   \nc=3 # no comment"), "5[c|3 # no comment]");
  EXPECT_EQ(entries("# a comment is not continued\\\na=1"), "2[a|1]");
}

TEST(PropertiesFile, LineEnds) {
  EXPECT_EQ(entries("a=1\r\nb=2\rc=3\n"), "1[a|1]2[b|2]3[c|3]");
  EXPECT_EQ(entries("\r\n\r\na=1"), "3[a|1]");
}

TEST(PropertiesFile, ContinuedLines) {
  EXPECT_EQ(entries("a=1,\\\n   2,\\\r\n3\nb=4"), "1[a|1,2,3]4[b|4]");
  EXPECT_EQ(entries("a=even\\\\\nb=1"), "1[a|even\\]2[b|1]");
  EXPECT_EQ(entries("a=at the end\\"), "1[a|at the end]");
  EXPECT_EQ(entries("a\\ b : c\\\n   d"), "1[a b|cd]");
  EXPECT_EQ(entries("a=1\\\n# 2"), "1[a|1# 2]");   // Not a comment: it continues the entry.
  EXPECT_EQ(entries("\\\n# a=1\nb=2"), "3[b|2]");  // A comment: there is nothing to continue yet.
  EXPECT_EQ(entries("\\\n\\\n  b=2"), "3[b|2]");
}

TEST(PropertiesFile, Escapes) {
  EXPECT_EQ(entries("a=x\\ty\\u00e9\\u20AC\\q"), "1[a|x\ty\u00e9\u20acq]");
  EXPECT_EQ(entries("a\\=b\\:c=d"), "1[a=b:c|d]");
  EXPECT_EQ(entries("a=\\ud83d\\ude00"), "1[a|\U0001f600]");
  EXPECT_EQ(entries("a=\\ud83dx\\ude00"), "1[a|?x?]");  // Halves of no character.
}

TEST(PropertiesFile, MalformedEscapesAreFaultsOfTheirEntry) {
  for (const std::string_view text :
       {"a=\\u12", "a=\\u", "a=\\uzzzz", "\\u00 =1", "a=\\u12\\u0041"}) {
    const std::vector<PropertyLine> read = read_properties(text);
    ASSERT_EQ(read.size(), 1u) << text;
    EXPECT_EQ(read[0].fault, PropertyLine::Fault::malformed_escape) << text;
  }
  EXPECT_EQ(read_properties("a=\\\\u12")[0].fault, PropertyLine::Fault::none);
}

TEST(PropertiesFile, Utf8IsKeptAndSaidToBeReadOtherwiseByJava) {
  EXPECT_EQ(entries("a=\u4f60"), "1[a|\u4f60]");
  EXPECT_TRUE(read_properties("a=\u4f60")[0].utf8_letters);
  EXPECT_FALSE(read_properties("a=\\u4f60")[0].utf8_letters);
}

TEST(PropertiesFile, WhatIsNoUtf8IsLatin1) {
  EXPECT_EQ(entries("a=\xe9\nb=1"), "1[a|\u00e9]2[b|1]");
  EXPECT_FALSE(read_properties("a=\xe9")[0].utf8_letters);
  for (const std::string_view bad : {"\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82"}) {
    EXPECT_FALSE(is_utf8(bad));
  }
  EXPECT_TRUE(is_utf8("\u00e9\u20ac\U0001f600"));
}

TEST(PropertiesFile, AByteOrderMarkIsAPartOfTheFirstKey) {
  EXPECT_EQ(entries("\xef\xbb\xbf"
                    "a=1"),
            "1[\xef\xbb\xbf"
            "a|1]");
  EXPECT_EQ(read_properties("\xef\xbb\xbf"
                            "a=1")[0]
                .fault,
            PropertyLine::Fault::byte_order_mark);
}

}  // namespace
}  // namespace drydock::test
