// Runs the contracts, then prints what the two worlds answered differently. An unexplained
// difference fails the last test.
#include <gtest/gtest.h>

#include <iostream>

#include "tests/contract/answers.hpp"

namespace drydock::contract {
namespace {

class CompareAnswers : public ::testing::Environment {
 public:
  void TearDown() override {
    if (::testing::GTEST_FLAG(filter) != "*") return;  // Not everything was asked.
    const Answers::Report report = answers().report(explained_divergences());
    std::cout << "\nWhat the two worlds answer differently:\n"
              << (report.table.empty() ? "nothing\n" : report.table) << std::flush;
    EXPECT_EQ(report.complaints, "");
  }
};

}  // namespace
}  // namespace drydock::contract

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  ::testing::AddGlobalTestEnvironment(new drydock::contract::CompareAnswers);
  return RUN_ALL_TESTS();
}
