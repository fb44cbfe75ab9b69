// Scenarios as text, which tests of the loader change in one place, and what the loader says then.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "scenarios/drill/cells.hpp"
#include "scenarios/loader/loader.hpp"

namespace drydock::test {

using Json = nlohmann::ordered_json;
using Change = std::function<void(Json&)>;

// A scenario that the loader accepts.
class ScenarioText {
 public:
  explicit constexpr ScenarioText(const char* text) : text_(text) {}

  std::string text() const { return text_; }
  Json json() const { return Json::parse(text_, nullptr, true, true); }
  scenarios::Drill read(const Change& change = {}) const {
    Json changed = json();
    if (change) change(changed);
    return scenarios::parse_drill("f.json", changed.dump());
  }
  // What is said to it on the way to its cells, without file, line and column; or "accepted".
  std::string refusal(const Change& change) const {
    try {
      (void)scenarios::make_experiment(read(change), {}, {});
    } catch (const scenarios::InputError& error) {
      return std::regex_replace(error.what(), std::regex("f\\.json:1:[0-9]+: "), "");
    }
    return "accepted";
  }

 private:
  const char* text_;
};

// A broker and its producer, with what a whole drill has.
inline constexpr ScenarioText kBrokerScenario(R"({
  // A comment.
  "drill": "d", "title": "t", "why": ["w"], "seeds": "3..5",
  "topology": {
    "hosts": {"h": {"disk": {"profile": "local-nvme", "size": "1 GiB"}, "boot": "5 s"}, "c": {}},
    "brokers": {"b": {"host": "h", "role": "master"}}
  },
  "conf": {"b": {"flushIntervalCommitLog": 200}},
  "behaviour": {"preset": "rocketmq-5.3.3", "set": {"flush.error-advances-position": "hardened"}},
  "load": {"producers": {
    "p": {"host": "c", "broker": "b", "topic": "x", "queues": 2, "body": "1 KiB",
          "rate": "50/s", "in_flight": 4, "timeout": "3 s", "retries": 2}}},
  "phases": {"warm": "1 s", "inject": "2 s",
             "hold": {"at_most": "60 s", "until": "writes-resume", "then": "1 s"},
             "heal": "1 s", "settle": "5 s", "judge": "10 s"},
  "faults": {
    "kill": [{"do": "process.kill", "on": "role:master", "when": {"between": ["0 s", "2 s"]},
              "for": "1 s"}],
    "power": [{"do": "host.power-loss", "on": "h",
               "when": {"event": "store.flushed", "occurrence": 3}, "for": "1 s"}],
    "crash": [{"do": "process.kill", "on": "b", "when": {"crash_point": "store.before-flush"}}]
  },
  "matrix": {"flushDiskType": ["as-in-file", "the-other"], "fault": ["kill", "power", "crash"]},
  "expectations": [{"cells": {"fault": "kill"}, "every_run": "acked_loss = 0"},
                   {"total": "duplicates >= 0"},
                   {"every_run": "rto.client <= 30 s"}]
})");

// A writer and a reader without a broker, and a fault of their disk.
inline constexpr ScenarioText kBareScenario(R"({
  "drill": "d", "title": "t",
  "topology": {"hosts": {"h": {"disk": {"profile": "local-nvme", "size": "8 GiB"}}, "bare": {}}},
  "load": {
    "writers": {"w": {"host": "h", "file": "/log", "size": "1 GiB", "access": "mmap",
                      "record": "4 KiB", "rate": "10 MB/s"}},
    "readers": {"r": {"host": "h", "file": "/cold", "size": "64 MiB", "block": "64 KiB",
                      "rate": "1 MB/s", "after": "2 s", "threads": 3}}
  },
  "phases": {"warm": "1 s", "inject": "1 s", "hold": "1 s", "heal": "1 s", "settle": "1 s",
             "judge": "2 s"},
  "faults": {"f": [{"do": "disk.hang", "on": "h", "part": "data-writes", "when": {"at": "0 s"},
                    "for": "1 s"}]}
})");

}  // namespace drydock::test
