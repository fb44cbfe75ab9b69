// Reservation commands, statuses and states as text, so that a table of cases can be read.
//
//   A add 1 [persist|forget]     register key 1; persist: CPTPL = set, forget: CPTPL = clear
//   A replace 1 2   A replace ! 2   A unregister 1   A unregister !      `!`: ignore existing key
//   A acquire 1 WE   A preempt 1 2 EA   A abort 1 2 EA   A release 1 WE   A clear 1
//   power-loss
//
// Hosts are A to D, `A'` is a second controller of A, `X` and `Y` are controllers without a host
// identifier. A state: "WE A1* B2" is type 1, A registered with key 1 and holding, B with key 2.
#pragma once

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "engine/types/ensure.hpp"
#include "sim/disk/reservations.hpp"

namespace drydock::test {

constexpr std::string_view kTypeNames[] = {"-", "WE", "EA", "WERO", "EARO", "WEAR", "EAAR"};

inline std::vector<std::string> words_of(std::string_view text, char between = ' ') {
  std::vector<std::string> words;
  std::istringstream in{std::string(text)};
  for (std::string word; std::getline(in, word, between);) {
    while (!word.empty() && word.front() == ' ') word.erase(0, 1);
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

inline sim::ReservationHost host_of(std::string_view name) {
  sim::ReservationHost host;
  const auto letter = static_cast<std::uint8_t>(name.front());
  host.controller = letter + (name.ends_with('\'') ? 100u : 0u);
  if (letter < 'X') host.identifier.fill(letter);
  return host;
}

inline std::string name_of(const HostIdentifier& identifier) {
  return identifier[0] == 0 ? "?" : std::string(1, static_cast<char>(identifier[0]));
}

inline ReservationType type_of(std::string_view name) {
  for (std::uint8_t i = 0; i < std::size(kTypeNames); ++i) {
    if (kTypeNames[i] == name) return static_cast<ReservationType>(i);
  }
  return static_cast<ReservationType>(std::stoi(std::string(name)));
}

inline std::string text_of(sim::NvmeStatus status) {
  switch (status) {
    case sim::NvmeStatus::success: return "ok";
    case sim::NvmeStatus::invalid_opcode: return "opcode";
    case sim::NvmeStatus::invalid_field: return "field";
    case sim::NvmeStatus::internal_error: return "internal";
    case sim::NvmeStatus::host_identifier_inconsistent_format: return "format";
    case sim::NvmeStatus::aborted_by_preempt: return "aborted";
    case sim::NvmeStatus::command_interrupted: return "interrupted";
    case sim::NvmeStatus::host_identifier_not_initialized: return "no-identifier";
    case sim::NvmeStatus::reservation_conflict: return "conflict";
    case sim::NvmeStatus::host_aborted_command: return "given-up";
  }
  return "?";
}

// Without the generation.
inline std::string text_of(const ReservationReport& report) {
  std::string text(kTypeNames[static_cast<std::size_t>(report.type)]);
  for (const Registrant& one : report.registrants) {
    text += " " + name_of(one.host_identifier) + std::to_string(one.key.value);
    if (one.holds) text += "*";
  }
  if (report.persists_through_power_loss) text += " persists";
  return text;
}

inline std::string text_of(const std::vector<sim::ReservationNoticeTo>& notices) {
  std::string text;
  for (const sim::ReservationNoticeTo& notice : notices) {
    if (!text.empty()) text += " ";
    text += name_of(notice.to.identifier) + ":" + std::to_string(static_cast<int>(notice.kind));
  }
  return text;
}

class ReservationScript {
 public:
  explicit ReservationScript(sim::ReservationOptions options) : state(options) {}

  // Commands between commas; all but the last must succeed. The last one's outcome.
  sim::ReservationOutcome run(std::string_view commands) {
    sim::ReservationOutcome outcome;
    for (const std::string& command : words_of(commands, ',')) {
      ENSURE(outcome.status == sim::NvmeStatus::success);
      outcome = run_one(words_of(command));
    }
    return outcome;
  }

  sim::NamespaceReservations state;

 private:
  static ReservationKey key(const std::string& word) {
    return {word == "!" ? 0 : std::stoull(word)};
  }
  static sim::ExistingKey existing(const std::string& word) {
    return word == "!" ? sim::ExistingKey::ignore : sim::ExistingKey::compare;
  }

  sim::ReservationOutcome run_one(const std::vector<std::string>& words) {
    if (words.at(0) == "power-loss") {
      state.lose_power();
      return {};
    }
    const sim::ReservationHost host = host_of(words.at(0));
    const std::string& verb = words.at(1);
    if (verb == "add") return add(host, words);
    if (verb == "replace" || verb == "unregister" || verb == "register-action-3") {
      return change(host, words);
    }
    if (verb == "release" || verb == "clear") return release(host, words);
    return acquire(host, words);
  }
  sim::ReservationOutcome add(const sim::ReservationHost& host,
                              const std::vector<std::string>& words) {
    sim::RegisterRequest request{.next = key(words.at(2))};
    if (words.back() == "persist") request.persist = PersistThroughPowerLoss::set;
    if (words.back() == "forget") request.persist = PersistThroughPowerLoss::clear;
    if (words.back() == "!") request.existing_key = sim::ExistingKey::ignore;
    return state.add_or_remove(host, request);
  }
  sim::ReservationOutcome change(const sim::ReservationHost& host,
                                 const std::vector<std::string>& words) {
    sim::RegisterRequest request{.action = sim::RegisterAction::unregister,
                                 .current = key(words.at(2)),
                                 .existing_key = existing(words.at(2))};
    if (words.at(1) == "replace") {
      request.action = sim::RegisterAction::replace;
      request.next = key(words.at(3));
    }
    if (words.at(1) == "register-action-3") request.action = sim::RegisterAction(3);
    return state.add_or_remove(host, request);
  }
  sim::ReservationOutcome acquire(const sim::ReservationHost& host,
                                  const std::vector<std::string>& words) {
    sim::AcquireRequest request{.current = key(words.at(2)),
                                .type = type_of(words.back()),
                                .existing_key = existing(words.at(2))};
    if (words.at(1) != "acquire") {
      request.victim = key(words.at(3));
      request.action = words.at(1) == "abort" ? sim::AcquireAction::preempt_and_abort
                                              : sim::AcquireAction::preempt;
    }
    return state.acquire(host, request);
  }
  sim::ReservationOutcome release(const sim::ReservationHost& host,
                                  const std::vector<std::string>& words) {
    sim::ReleaseRequest request{.action = sim::ReleaseAction::clear,
                                .current = key(words.at(2)),
                                .existing_key = existing(words.at(2))};
    if (words.at(1) == "release") {
      request.action = sim::ReleaseAction::release;
      request.type = type_of(words.at(3));
    }
    return state.release(host, request);
  }
};

}  // namespace drydock::test
