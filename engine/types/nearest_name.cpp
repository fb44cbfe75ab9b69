#include "engine/types/nearest_name.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace drydock {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

// Levenshtein's distance: letters to insert, delete or replace. Case doesn't count.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

}  // namespace

void NearestName::consider(std::string_view known) {
  // Letters that one has more than the other have to change in any case.
  if (written_.size() >= known.size() + best_ || known.size() >= written_.size() + best_) return;
  const std::size_t distance = edit_distance(written_, known);
  if (distance >= best_) return;
  best_ = distance;
  nearest_ = known;
}

}  // namespace drydock
