// Profiles of processors: what files say, and what is refused, in one line with file, path and what
// is expected.
#include <gtest/gtest.h>

#include "sim/profiles/cpu_profile.hpp"
#include "tests/support/disk_profiles.hpp"

namespace drydock::test {
namespace {

constexpr std::string_view kMine = R"({
  "profile": "mine",
  "title": "a broker of mine",
  "cpu": {
    "send": {"value": "20 us", "measured": "here"},
    "send_per_kib": {"value": "1500 ns", "source": "there"},
    "dispatch": {"value": "0 ns", "assumed": "nothing is known"},
    "dispatch_per_kib": {"value": "1 s", "assumed": "nothing is known"}
  }
})";

std::string refusal(std::string_view from, std::string_view to) {
  const auto profile = sim::read_cpu_profile("my.json", with(std::string(kMine), from, to));
  EXPECT_FALSE(profile.has_value()) << to;
  return profile.has_value() ? "" : profile.error();
}

TEST(CpuProfile, KeepsCostsWithHowTheyAreKnown) {
  const auto profile = sim::read_cpu_profile("my.json", kMine);
  ASSERT_TRUE(profile.has_value()) << profile.error();
  EXPECT_EQ(profile->name, "mine");
  EXPECT_EQ(profile->title, "a broker of mine");
  EXPECT_EQ(profile->send.time, Duration::us(20));
  EXPECT_EQ(profile->send.stamp.evidence, sim::Evidence::measured);
  EXPECT_EQ(profile->send_per_kib.time, Duration::ns(1500));
  EXPECT_EQ(profile->send_per_kib.stamp.citation, "there");
  EXPECT_EQ(profile->dispatch.time, Duration());
  EXPECT_EQ(profile->dispatch_per_kib.time, Duration::s(1));
  EXPECT_EQ(profile->costs()[3]->name, "dispatch_per_kib");
}

TEST(CpuProfile, RefusesWhatIsNoCost) {
  EXPECT_EQ(refusal("\"20 us\"", "20"),
            "my.json: /cpu/send/value: 20 has no unit; write an integer "
            "and one of ns us ms s, as 80 us");
  EXPECT_NE(refusal("\"20 us\"", "\"0 ns\"").find("/cpu/send/value: '0 ns' is outside 1 ns to 1 s"),
            std::string::npos);
  EXPECT_NE(refusal("\"1500 ns\"", "\"-1 ns\"").find("/cpu/send_per_kib/value: '-1 ns'"),
            std::string::npos);
  EXPECT_NE(refusal("\"1 s\"", "\"2 s\"").find("'2 s' is outside 0 ns to 1 s"), std::string::npos);
  EXPECT_NE(refusal(", \"measured\": \"here\"", "").find("says not how it is known"),
            std::string::npos);
  EXPECT_NE(refusal("\"source\": \"there\"", "\"source\": \"a\", \"assumed\": \"b\"")
                .find("has two of measured, source, assumed"),
            std::string::npos);
  EXPECT_NE(refusal("\"dispatch\"", "\"dispach\"").find("did you mean 'dispatch'"),
            std::string::npos);
  EXPECT_NE(refusal("\"cpu\"", "\"disk\"").find("my.json: /disk: is not known"), std::string::npos);
  EXPECT_NE(refusal("\"mine\"", "\"mi ne\"").find("must be a name of letters"), std::string::npos);
  EXPECT_NE(refusal("{", "").find("no JSON"), std::string::npos);
}

// RocketMQ's broker takes more of a core, whatever the body: tools/bench rocketmq.
TEST(CpuProfile, TheProjectsOwnAreMeasured) {
  EXPECT_EQ(sim::builtin_cpu_profile("local-nvme"), nullptr);
  const sim::CpuProfile* const ours = sim::builtin_cpu_profile("cpu-drydock");
  const sim::CpuProfile* const theirs = sim::builtin_cpu_profile("cpu-rocketmq");
  ASSERT_NE(ours, nullptr);
  ASSERT_NE(theirs, nullptr);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_GE(theirs->costs()[i]->time, ours->costs()[i]->time) << ours->costs()[i]->name;
  }
  for (const sim::CpuProfile* profile : {ours, theirs}) {
    EXPECT_EQ(profile->send.stamp.evidence, sim::Evidence::measured);
    EXPECT_EQ(profile->name, profile == ours ? "cpu-drydock" : "cpu-rocketmq");
  }
}

}  // namespace
}  // namespace drydock::test
