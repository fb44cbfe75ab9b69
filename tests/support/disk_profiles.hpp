// Texts of disk profiles and of fio's results, changed in one place.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "sim/profiles/embedded_files.hpp"
#include "sim/profiles/fio_file.hpp"

namespace drydock::test {

inline std::string embedded_text(std::string_view name) {
  for (const sim::EmbeddedFile& file : sim::embedded_files()) {
    if (file.name == name) return std::string(file.text);
  }
  ADD_FAILURE() << "no embedded " << name;
  return "";
}

// `text` with the first `from` replaced; there has to be one.
inline std::string with(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// Of sim/profiles/calibration: "randread_4k_qd1".
inline std::string fio_text(const std::string& name) {
  std::ifstream file(std::string(DRYDOCK_SOURCE_ROOT) + "/sim/profiles/calibration/fio_" + name +
                     ".json");
  EXPECT_TRUE(file.good()) << name;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline std::vector<sim::FioJob> fio_jobs(const std::string& name) {
  const auto jobs = sim::read_fio(name + ".json", fio_text(name));
  EXPECT_TRUE(jobs.has_value()) << jobs.error();
  return jobs.value_or(std::vector<sim::FioJob>());
}

}  // namespace drydock::test
