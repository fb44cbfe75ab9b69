// The table of RocketMQ's properties, the values of its types, and what is done with each key here.
#include "engine/broker/property_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <tuple>

#include "engine/broker/configuration_keys.hpp"
#include "engine/broker/property_value.hpp"

namespace drydock::test {
namespace {

ConfigurationProperty of_type(PropertyType type, std::string_view choices = "") {
  return {"name", PropertyOwner::broker, type, "", choices};
}

bool accepts(PropertyType type, std::string_view value) {
  return is_value_of(of_type(type, "A|BC"), value);
}

TEST(PropertyTable, IsSortedAndEachOwnerHasANameOnce) {
  const auto before = [](const ConfigurationProperty& a, const ConfigurationProperty& b) {
    return std::tie(a.name, a.owner) < std::tie(b.name, b.owner);
  };
  EXPECT_TRUE(std::ranges::is_sorted(property_table(), before));
  EXPECT_EQ(std::ranges::adjacent_find(property_table(), std::not_fn(before)),
            property_table().end());
}

TEST(PropertyTable, EveryDefaultIsAValueOfItsType) {
  for (const ConfigurationProperty& property : property_table()) {
    if (property.default_text.starts_with("derived: ")) continue;
    EXPECT_TRUE(is_value_of(property, property.default_text)) << property.name;
    EXPECT_EQ(property.type == PropertyType::choice, !property.choices.empty()) << property.name;
  }
}

// Some of each class, as the reference and RocketMQ's own documents give them.
TEST(PropertyTable, KnowsTypesAndDefaults) {
  const auto row = [](std::string_view name) { return find_properties(name).front(); };
  EXPECT_EQ(row("inSyncReplicas").default_text, "1");
  EXPECT_EQ(row("inSyncReplicas").type, PropertyType::int32);
  EXPECT_EQ(row("brokerRole").choices, "ASYNC_MASTER|SYNC_MASTER|SLAVE");
  EXPECT_EQ(row("osPageCacheBusyTimeOutMills").type, PropertyType::int64);
  EXPECT_EQ(row("logicalDiskSpaceCleanForciblyThreshold").default_text, "0.8");
  EXPECT_EQ(row("deleteWhen").default_text, "04");
  EXPECT_EQ(row("haListenPort").default_text, "derived: listenPort + 1");
  EXPECT_EQ(row("sendMessageThreadPoolNums").default_text, "derived: min(processors, 4)");
  EXPECT_EQ(row("authenticationEnabled").owner, PropertyOwner::auth);
  EXPECT_EQ(row("kvConfigPath").owner, PropertyOwner::name_server);
  EXPECT_EQ(row("enableElectUncleanMaster").owner, PropertyOwner::controller);
  EXPECT_EQ(row("rmqAddressServerDomain").owner, PropertyOwner::broker_startup);
  EXPECT_TRUE(find_properties("mapedFileSizeCommitLog").empty());
  EXPECT_TRUE(find_properties("").empty());
}

// The start of the broker sets the port of the server before it reads the file.
TEST(PropertyTable, TheFirstOfSeveralOwnersHasTheDefaultThatCounts) {
  const auto rows = find_properties("listenPort");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].default_text, "10911");
  EXPECT_EQ(rows[1].owner, PropertyOwner::broker);
}

TEST(PropertyValue, Integers) {
  for (const std::string_view good : {"0", "-1", "+5", "007", "2147483647", "-2147483648"}) {
    EXPECT_TRUE(accepts(PropertyType::int32, good)) << good;
  }
  for (const std::string_view bad :
       {"", "+", "-", "+-1", "1 ", " 1", "1.0", "1e3", "0x10", "1_000", "2147483648", "1L"}) {
    EXPECT_FALSE(accepts(PropertyType::int32, bad)) << bad;
  }
  EXPECT_TRUE(accepts(PropertyType::int64, "9223372036854775807"));
  EXPECT_FALSE(accepts(PropertyType::int64, "9223372036854775808"));
}

TEST(PropertyValue, Reals) {
  for (const std::string_view good : {"1", "0.8", ".5", "5.", "-1e3", "1.5E+2", "0.8f", " 1 "}) {
    EXPECT_TRUE(accepts(PropertyType::real, good)) << good;
  }
  for (const std::string_view bad : {"", ".", "e3", "1e", "1e+", "0,8", "1x", "80%"}) {
    EXPECT_FALSE(accepts(PropertyType::real, bad)) << bad;
  }
}

TEST(PropertyValue, BooleansAreTrueOrFalseInAnyCase) {
  for (const std::string_view good : {"true", "false", "TRUE", "False"}) {
    EXPECT_TRUE(accepts(PropertyType::boolean, good)) << good;
  }
  for (const std::string_view bad : {"", "yes", "1", "on", "true "}) {
    EXPECT_FALSE(accepts(PropertyType::boolean, bad)) << bad;
  }
}

TEST(PropertyValue, ChoicesAreTrimmedAndTakenLetterByLetter) {
  EXPECT_TRUE(accepts(PropertyType::choice, "A"));
  EXPECT_TRUE(accepts(PropertyType::choice, " BC\t"));
  for (const std::string_view bad : {"", "a", "B", "A|BC", "ABC"}) {
    EXPECT_FALSE(accepts(PropertyType::choice, bad)) << bad;
  }
  EXPECT_EQ(allowed_values(of_type(PropertyType::choice, "A|BC|D")), "A, BC or D");
}

// A list that people extend by hand: a key that RocketMQ doesn't have can't be honoured.
TEST(ConfigurationKeys, TheListsAreSortedDisjointAndNameRealKeys) {
  std::set<std::string_view> all;
  const auto add = [&all](std::string_view name) {
    const auto rows = find_properties(name);
    EXPECT_TRUE(!rows.empty() && is_of_broker_conf(rows.front().owner)) << name;
    EXPECT_TRUE(all.insert(name).second) << name;
  };
  for (const HonouredKey& key : honoured_keys()) add(key.name);
  for (const RefusedKey& key : refused_keys()) {
    add(key.name);
    // Java's table does not say what aclEnable is: nothing can read it.
    if (key.name == "aclEnable") continue;
    EXPECT_EQ(find_properties(key.name).front().default_text, key.runs) << key.name;
  }
  EXPECT_TRUE(std::ranges::is_sorted(honoured_keys(), {}, &HonouredKey::name));
  EXPECT_TRUE(std::ranges::is_sorted(refused_keys(), {}, &RefusedKey::name));
  for (const OldSpelling& old : old_spellings()) {
    EXPECT_TRUE(find_properties(old.old_name).empty()) << old.old_name;
    EXPECT_EQ(find_properties(old.name).front().default_text, old.default_value) << old.name;
  }
}

TEST(ConfigurationKeys, StatesOfKeys) {
  EXPECT_EQ(state_of("flushDiskType"), KeyState::honoured);
  EXPECT_EQ(state_of("enableDLegerCommitLog"), KeyState::refused);
  EXPECT_EQ(state_of("ackMessageThreadPoolNums"), KeyState::accepted_without_effect);
  EXPECT_EQ(state_of("kvConfigPath"), KeyState::unknown);
  EXPECT_EQ(state_of("nothing"), KeyState::unknown);
}

TEST(ConfigurationKeys, TheNearestKey) {
  EXPECT_EQ(nearest_key("mapedFileSizeCommitLog"), "mappedFileSizeCommitLog");
  EXPECT_EQ(nearest_key("flushdisktype"), "flushDiskType");
  EXPECT_EQ(nearest_key("brokerRoles"), "brokerRole");
  EXPECT_EQ(nearest_key("somethingElseEntirely"), "");
  EXPECT_EQ(nearest_key(std::string(1'000'000, 'a')), "");
}

}  // namespace
}  // namespace drydock::test
