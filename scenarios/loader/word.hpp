// Values of a scenario that are one of a few words.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/loader/did_you_mean.hpp"
#include "scenarios/loader/json_at.hpp"

namespace drydock::scenarios {

// A word of a scenario and what it stands for.
template <class Enum>
struct Word {
  std::string_view text;
  Enum value;
};

template <class Enum, std::size_t n>
Enum read_word(const JsonAt& json, const std::array<Word<Enum>, n>& words) {
  const std::string written = json.text();
  std::vector<std::string_view> known;
  std::string list;
  for (const Word<Enum>& word : words) {
    if (word.text == written) return word.value;
    known.push_back(word.text);
    list += (list.empty() ? "" : ", ") + std::string(word.text);
  }
  json.refuse("must be one of " + list + did_you_mean(written, known));
}

}  // namespace drydock::scenarios
