// Random programs of tasks, scopes and waits, and what a world does to them meanwhile. They are
// decoded from bytes, so that a shrunk vector of bytes is a shrunk program.
#pragma once

#include <cstdint>
#include <iterator>
#include <ostream>
#include <string>
#include <vector>

namespace drydock::test {

constexpr int kEvents = 3;
constexpr int kDevices = 2;
constexpr int kChannels = 1;
constexpr std::uint64_t kUnits = 3;

struct Step;
using Script = std::vector<Step>;

struct Step {
  enum class Kind { sleep, wait, acquire, device, scope, pulse, send, receive, cancel };
  enum class Then { join, cancel, leave };
  Kind kind = Kind::sleep;
  int object = 0;     // Event, device, or (cancel) any scope, counted among those that live.
  int ticks = 0;      // How long it sleeps, holds its units, or waits before it leaves its scope.
  int deadline = -1;  // In ticks from now; -1: none.
  std::uint64_t units = 1;
  Then then = Then::join;
  std::vector<Script> children;
};

struct Action {
  enum class Kind { pulse, set, reset, device, cancel, stop, proceed, kill, power };
  Kind kind = Kind::pulse;
  std::int64_t time = 0;
  int object = 0;
};

struct Program {
  Script main;
  std::vector<Action> actions;
};

// A tick. Everything that tasks do is aligned to ticks; stops and kills happen in between.
constexpr std::int64_t kTick = 4;

class Decoder {
 public:
  explicit Decoder(const std::vector<std::uint8_t>& bytes) : bytes_(bytes) {}

  Program program() {
    Program program;
    std::int64_t between_ticks = 2;
    for (int count = pick(14); count > 0; --count) {
      Action action;
      using K = Action::Kind;
      static constexpr K kKinds[] = {K::pulse, K::set,    K::reset,  K::device, K::cancel,
                                     K::stop,  K::device, K::device, K::pulse,  K::proceed,
                                     K::kill,  K::power,  K::proceed};
      action.kind = kKinds[pick(std::size(kKinds))];
      action.object = pick(8);
      if (action.kind < Action::Kind::stop) {
        action.time = kTick * pick(32);
      } else {
        between_ticks += kTick * pick(8);
        action.time = between_ticks;
        between_ticks += kTick;
      }
      program.actions.push_back(action);
    }
    program.main = script(0, 4);
    return program;
  }

 private:
  // One of 0 … n - 1; 0 when the bytes are used up.
  int pick(std::size_t n) { return at_ < bytes_.size() ? bytes_[at_++] % static_cast<int>(n) : 0; }
  int deadline() { return pick(2) == 1 ? pick(12) : -1; }

  Script script(int depth, int at_least) {
    Script script;
    for (int count = at_least + pick(4); count > 0 && at_ < bytes_.size() && steps_ < 80; --count) {
      script.push_back(step(depth));
    }
    return script;
  }
  Step step(int depth) {
    ++steps_;
    Step step;
    using K = Step::Kind;
    static constexpr K kKinds[] = {K::sleep, K::wait,  K::acquire, K::device, K::scope,
                                   K::pulse, K::send,  K::receive, K::cancel, K::scope,
                                   K::scope, K::sleep, K::acquire, K::scope,  K::wait};
    step.kind = kKinds[pick(std::size(kKinds))];
    if (step.kind == Step::Kind::scope && depth == 3) step.kind = Step::Kind::sleep;
    step.object = pick(8);
    step.ticks = pick(8);
    step.deadline = deadline();
    step.units = static_cast<std::uint64_t>(1 + pick(kUnits));
    if (step.kind != Step::Kind::scope) return step;
    step.then = static_cast<Step::Then>(pick(3));
    for (int count = 1 + pick(4); count > 0; --count) step.children.push_back(script(depth + 1, 1));
    return step;
  }

  const std::vector<std::uint8_t>& bytes_;
  std::size_t at_ = 0;
  int steps_ = 0;
};

inline void print(const Script& script, std::ostream& out, std::string indent) {
  static constexpr const char* kKinds[] = {"sleep", "wait", "acquire", "device", "scope",
                                           "pulse", "send", "receive", "cancel"};
  static constexpr const char* kThen[] = {"join", "cancel and join", "leave"};
  for (const Step& step : script) {
    out << indent << kKinds[static_cast<int>(step.kind)] << " object " << step.object << " ticks "
        << step.ticks << " units " << step.units;
    if (step.deadline >= 0) out << " deadline " << step.deadline;
    if (step.kind == Step::Kind::scope) out << " then " << kThen[static_cast<int>(step.then)];
    out << "\n";
    for (const Script& child : step.children) {
      out << indent << "  task\n";
      print(child, out, indent + "    ");
    }
  }
}

inline std::ostream& operator<<(std::ostream& out, const Program& program) {
  static constexpr const char* kKinds[] = {"pulse", "set",     "reset", "device", "cancel",
                                           "stop",  "proceed", "kill",  "power"};
  print(program.main, out, "  ");
  for (const Action& action : program.actions) {
    out << "  at " << action.time << " " << kKinds[static_cast<int>(action.kind)] << " "
        << action.object << "\n";
  }
  return out;
}

}  // namespace drydock::test
