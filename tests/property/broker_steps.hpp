// What happens to a broker in a trial, step by step, and how that is shown.
#pragma once

#include <ostream>
#include <string>

#include "engine/types/time.hpp"

namespace drydock::test {

enum class Act {
  send,
  burst,  // Several sends at once.
  batch,
  send_delayed,
  pull,
  send_back,  // A message that was pulled.
  commit,     // The offset behind what was pulled.
  wait,
  kill,  // kill -9
  cut_power,
  restart  // Orderly.
};
inline constexpr const char* kActs[] = {"send", "send a burst", "send a batch", "send delayed",
                                        "pull", "send back",    "commit",       "wait",
                                        "KILL", "CUT POWER",    "restart"};

struct Step {
  Act act = Act::wait;
  int queue = 0;     // 0 to 2
  int count = 0;     // Messages of a burst or a batch; which of those that were pulled.
  int bytes = 0;     // Of each body.
  int level = 1;     // Of a delay, 1 or 2.
  int pause_us = 0;  // Behind it.
  int wait_ms = 0;
  int again_us = 0;  // Of a kill or a power cut: the next start dies so long after it began; 0: no.
};

inline bool ends_broker(Act act) {
  return act == Act::kill || act == Act::cut_power || act == Act::restart;
}

// How RapidCheck prints a step.
inline void showValue(const Step& step, std::ostream& os) {
  os << kActs[static_cast<int>(step.act)];
  switch (step.act) {
    case Act::send: os << " to " << step.queue << ", " << step.bytes << " B"; break;
    case Act::burst:
    case Act::batch:
      os << " of " << step.count << " to " << step.queue << ", " << step.bytes << " B each";
      break;
    case Act::send_delayed: os << " to " << step.queue << ", level " << step.level; break;
    case Act::pull:
    case Act::commit: os << " " << step.queue; break;
    case Act::send_back: os << " pulled message " << step.count << ", level " << step.level; break;
    case Act::wait: os << " " << step.wait_ms << " ms"; break;
    default:
      if (step.again_us > 0) os << ", and again " << step.again_us << " us after the start";
  }
  if (step.pause_us > 0) os << "; " << step.pause_us << " us";
}

}  // namespace drydock::test
