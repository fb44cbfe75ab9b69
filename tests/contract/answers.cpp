#include "tests/contract/answers.hpp"

namespace drydock::contract {

void Answers::note(std::string_view world, std::string_view question, std::string answer) {
  std::string& noted = by_question_[std::string(question)][std::string(world)];
  if (!noted.empty() && noted != answer) {
    contradictions_ += std::string(world) + " answers \"" + std::string(question) + "\" with \"" +
                       noted + "\" and with \"" + answer + "\"\n";
  }
  noted = std::move(answer);
}

Answers::Report Answers::report(std::span<const Divergence> explained) const {
  Report report;
  report.complaints = contradictions_;
  std::map<std::string_view, const Divergence*> unused;
  for (const Divergence& known : explained) unused.emplace(known.question, &known);
  for (const auto& [question, by_world] : by_question_) {
    const auto simulation = by_world.find("simulation");
    const auto on_linux = by_world.find("linux");
    if (simulation == by_world.end() || on_linux == by_world.end()) {
      report.complaints += "only one world was asked: " + question + "\n";
      unused.erase(question);
      continue;
    }
    const auto known = unused.find(question);
    if (simulation->second == on_linux->second) continue;
    const bool explains = known != unused.end() &&
                          known->second->simulation == simulation->second &&
                          known->second->linux_answer == on_linux->second;
    report.table += question + "\n  simulation  " + simulation->second + "\n  linux       " +
                    on_linux->second + "\n  because     " +
                    (explains ? std::string(known->second->reason) : "(not explained)") + "\n";
    if (!explains) report.complaints += "not explained: " + question + "\n";
    unused.erase(question);
  }
  for (const auto& [question, known] : unused) {
    report.complaints +=
        "explained, but they agree or were not asked: " + std::string(question) + "\n";
  }
  return report;
}

Answers& answers() {
  static Answers all;
  return all;
}

}  // namespace drydock::contract
