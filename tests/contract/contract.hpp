// The fixture of all contracts.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/runtime/channel.hpp"
#include "tests/contract/answers.hpp"
#include "tests/contract/world.hpp"

namespace drydock::contract {

using Worlds = ::testing::Types<Simulation, Linux>;
struct WorldNames {
  template <class T>
  static std::string GetName(int) {
    return T::kName;
  }
};

template <class Which>
class Contract : public ::testing::Test {
 protected:
  World& world() { return *world_; }

  Guest& start(int host, Program program, std::string name = "p") {
    return world_->start(host, std::move(name), std::move(program));
  }
  void run_until_gone(Guest& guest) {
    EXPECT_TRUE(world_->run_until([&guest] { return !guest.alive(); })) << "it hangs";
  }
  // Runs a process of host 0 to its end.
  void run(Program program) {
    Guest& guest = start(0, std::move(program));
    run_until_gone(guest);
    EXPECT_TRUE(guest.exited_by_itself());
  }
  void run_until(const std::function<bool()>& condition) {
    EXPECT_TRUE(world_->run_until(condition)) << "it hangs";
  }

  void answer(std::string_view question, std::string text) {
    answers().note(world_->name(), question, std::move(text));
  }
  template <class T>
  void answer(std::string_view question, const Result<T>& result) {
    answer(question, text_of(result));
  }

 private:
  std::unique_ptr<World> world_ = Which::make();
};

// The code of a failed result.
template <class T>
ErrorCode code_of(const Result<T>& result) {
  EXPECT_FALSE(result.has_value());
  return result ? ErrorCode::outcome_unknown : result.error().code();
}

inline std::string text_of(const ByteChain& chain) {
  const SharedBytes flat = chain.flatten();
  return std::string(reinterpret_cast<const char*>(flat.data()), flat.size());
}
inline SharedBytes bytes_of(std::string_view text) { return SharedBytes::copy_of(text); }

// The whole of a process's life: until it is told to stop, or for ever.
inline Task<void> stay(Context& context) {
  Result<void> told = co_await context.terminate.wait();
  EXPECT_TRUE(told);
}

}  // namespace drydock::contract
