// Every number in the project's own profiles says where it is from: each file of sim/profiles,
// walked as plain JSON, without the reader that the program uses.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "sim/profiles/builtin_profiles.hpp"
#include "sim/profiles/cpu_profile.hpp"

namespace drydock::test {
namespace {

using Json = nlohmann::json;

const std::filesystem::path kFolder =
    std::filesystem::path(DRYDOCK_SOURCE_ROOT) / "sim" / "profiles";
constexpr std::array kEvidence{"measured", "source", "assumed"};

std::vector<std::filesystem::path> profile_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

// Places of values (numbers, texts with units, flags) that lie in no object with exactly one kind
// of evidence, which is a text that says something.
void find_bare(const Json& json, const std::string& place, std::vector<std::string>& bare) {
  if (json.is_array()) {
    for (std::size_t i = 0; i < json.size(); ++i) {
      find_bare(json[i], place + "/" + std::to_string(i), bare);
    }
    return;
  }
  if (!json.is_object()) return bare.push_back(place);
  const auto count = std::ranges::count_if(kEvidence, [&](const char* kind) {
    return json.contains(kind) && json[kind].is_string() &&
           json[kind].get<std::string>().size() > 3;
  });
  for (const auto& [key, value] : json.items()) {
    if (value.is_structured()) {
      find_bare(value, place + "/" + key, bare);
    } else if (count != 1) {
      bare.push_back(place + "/" + key);
    }
  }
}

std::vector<std::string> bare_in(const Json& disk) {
  std::vector<std::string> bare;
  find_bare(disk, "", bare);
  return bare;
}

TEST(ProfileEvidence, EveryNumberOfEveryProfileHasItsSourceOrIsAssumed) {
  const auto files = profile_files();
  const std::size_t known =
      sim::builtin_profile_names().size() + sim::builtin_cpu_profile_names().size();
  EXPECT_EQ(files.size(), known);
  for (const auto& file : files) {
    std::ifstream text(file);
    const Json json = Json::parse(text);
    const bool of_disk = json.contains("disk");
    const Json& values = json.at(of_disk ? "disk" : "cpu");
    const std::vector<std::string> bare = bare_in(values);
    EXPECT_TRUE(bare.empty()) << file << ": " << bare.front();
    EXPECT_GE(values.size(), of_disk ? 20u : 4u) << file;
  }
}

TEST(ProfileEvidence, ANumberWithoutOneIsFound) {
  const auto places = [](const char* text) { return bare_in(Json::parse(text)); };
  using Places = std::vector<std::string>;
  EXPECT_EQ(places(R"({"a": {"value": 1, "source": "a page"}})"), Places());
  EXPECT_EQ(places(R"({"a": {"value": 1}})"), Places{"/a/value"});
  EXPECT_EQ(places(R"({"a": {"value": 1, "source": ""}})"), (Places{"/a/source", "/a/value"}));
  EXPECT_EQ(places(R"({"a": {"value": 1, "source": "a page", "assumed": "a guess"}})").size(), 3u);
  EXPECT_EQ(places(R"({"a": [{"at": "50%", "time": "1 ms"}]})"), (Places{"/a/0/at", "/a/0/time"}));
  EXPECT_EQ(places(R"({"a": 5})"), Places{"/a"});
}

// "fio_randread_4k_qd1 to qd128": the file of the measurement, as far as it is named in full.
TEST(ProfileEvidence, MeasurementsThatAreNamedAreThere) {
  const std::regex name("fio_[a-z0-9_]*[a-z0-9]");
  int named = 0;
  for (const auto& file : profile_files()) {
    std::ifstream in(file);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    for (std::sregex_iterator at(text.begin(), text.end(), name), end; at != end; ++at) {
      ++named;
      EXPECT_TRUE(std::filesystem::exists(kFolder / "calibration" / (at->str() + ".json")))
          << file << ": " << at->str();
    }
  }
  EXPECT_GT(named, 20);
}

}  // namespace
}  // namespace drydock::test
