// What the interfaces leave open, each world may answer in its own way. Such an answer is noted
// under the question's name; when all tests have run, the two worlds' answers are compared. What
// differs is printed as a table, and has to be explained (explained_divergences.cpp).
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "engine/types/result.hpp"

namespace drydock::contract {

struct Divergence {
  std::string_view question;
  std::string_view simulation;
  std::string_view linux_answer;
  std::string_view reason;
};

// The divergences that we know, and why they are left as they are.
std::span<const Divergence> explained_divergences();

class Answers {
 public:
  // Notes an answer. Asking twice must give the same answer.
  void note(std::string_view world, std::string_view question, std::string answer);

  // The table of what the two worlds answer differently, and what is wrong with it: divergences
  // without an explanation, explanations that no longer apply, and questions that only one of the
  // worlds was asked.
  struct Report {
    std::string table;
    std::string complaints;
  };
  Report report(std::span<const Divergence> explained) const;

 private:
  std::map<std::string, std::map<std::string, std::string, std::less<>>, std::less<>> by_question_;
  std::string contradictions_;
};

// Those of this program's run.
Answers& answers();

template <class T>
std::string text_of(const Result<T>& result) {
  return result ? "ok" : std::string(name_of(result.error().code()));
}

}  // namespace drydock::contract
