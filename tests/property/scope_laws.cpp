// Scopes, tasks and waits under random programs, cancellations, time-outs, stops, kills and power
// losses. The laws (scope_history.hpp): nothing resumes after its frame is destroyed or its process
// killed; children go before their parents, the youngest first; every wait ends once, by the first
// of its causes and at its time; an uninterruptible wait keeps a dying process; a join sees every
// task gone; units are granted in order, none is lost, nobody waits for what is free; no value of a
// channel is lost or doubled; and no memory stays behind.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <sstream>

#include "engine/types/memory_pool.hpp"
#include "tests/property/scope_run.hpp"

namespace drydock::test {
namespace {

std::string check(const std::vector<std::uint8_t>& bytes, bool perturb) {
  const std::size_t before = pool_bytes_in_use();
  std::string complaints;
  {
    const Program program = Decoder(bytes).program();
    const History history = ScopeRun(program, perturb).run();
    complaints = Laws(history).check();
    if (!complaints.empty()) {
      std::ostringstream text;
      text << complaints << "the program:\n" << program;
      complaints = text.str();
    }
  }
  if (pool_bytes_in_use() != before) complaints += "memory was left behind\n";
  return complaints;
}

std::vector<std::uint8_t> draw_bytes() {
  const auto length = *rc::gen::inRange<std::size_t>(0, 400);
  return *rc::gen::container<std::vector<std::uint8_t>>(length, rc::gen::arbitrary<std::uint8_t>());
}

RC_GTEST_PROP(ScopeLaws, holdForEveryProgram, ()) {
  const std::string complaints = check(draw_bytes(), false);
  if (!complaints.empty()) RC_FAIL(complaints);
}

RC_GTEST_PROP(ScopeLaws, holdWhateverTheOrderOfEventsOfAnInstant, ()) {
  const std::string complaints = check(draw_bytes(), true);
  if (!complaints.empty()) RC_FAIL(complaints);
}

}  // namespace
}  // namespace drydock::test
