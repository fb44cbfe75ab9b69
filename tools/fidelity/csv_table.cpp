#include "tools/fidelity/csv_table.hpp"

#include <charconv>
#include <cmath>

#include "scenarios/drill/drill.hpp"

namespace drydock::fidelity {
namespace {

using scenarios::InputError;

// Times in ns, and sizes in bytes, that follow from it do not leave 64 bits.
constexpr double kNumberMax = 1e12;

// A field may stand in quotes, and have commas then.
std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

}  // namespace

CsvTable::CsvTable(const CalibrationData& data, const std::string& name)
    : place_(data.place(name)) {
  std::string_view rest = data.text(name);
  for (std::size_t line = 1; !rest.empty(); ++line) {
    const std::size_t end = rest.find('\n');
    const std::string_view text = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    if (text.empty() || text.front() == '#') continue;
    std::vector<std::string> fields = fields_of(text);
    if (columns_.empty()) {
      for (std::size_t i = 0; i < fields.size(); ++i) columns_[fields[i]] = i;
      continue;
    }
    if (fields.size() != columns_.size()) {
      throw InputError(place_ + ": line " + std::to_string(line) + " has " +
                       std::to_string(fields.size()) + " fields, not " +
                       std::to_string(columns_.size()));
    }
    rows_.emplace_back();
    rows_.back().table_ = this;
    rows_.back().line_ = line;
    rows_.back().fields_ = std::move(fields);
  }
  if (rows_.empty()) throw InputError(place_ + ": holds no rows");
}

const std::string& CsvTable::Row::text(std::string_view column) const {
  const auto found = table_->columns_.find(column);
  if (found == table_->columns_.end()) {
    throw InputError(table_->place_ + ": has no column '" + std::string(column) + "'");
  }
  return fields_[found->second];
}

double CsvTable::Row::number(std::string_view column) const {
  const std::string& field = text(column);
  double value = 0;
  const char* const end = field.data() + field.size();
  const auto [stop, error] = std::from_chars(field.data(), end, value);
  if (error != std::errc() || stop != end) refuse(column, "is no number");
  // The comparison fails for what is no number, too.
  if (!(std::abs(value) <= kNumberMax)) refuse(column, "is beyond what was ever measured");
  return value;
}

std::int64_t CsvTable::Row::count(std::string_view column, std::int64_t most) const {
  const double value = number(column);
  if (value < 1 || value > static_cast<double>(most) || value != std::floor(value)) {
    refuse(column, ("must be a whole number from 1 to " + std::to_string(most)).c_str());
  }
  return static_cast<std::int64_t>(value);
}

void CsvTable::Row::refuse(std::string_view column, const char* why) const {
  throw InputError(table_->place_ + ": line " + std::to_string(line_) + ", " + std::string(column) +
                   ": '" + text(column) + "' " + why);
}

std::vector<const CsvTable::Row*> CsvTable::rows_with(std::string_view column,
                                                      std::string_view value) const {
  std::vector<const Row*> found;
  for (const Row& row : rows_) {
    if (row.text(column) == value) found.push_back(&row);
  }
  return found;
}

const CsvTable::Row& CsvTable::row_with(std::string_view column, std::string_view value) const {
  const auto found = rows_with(column, value);
  if (found.size() != 1) {
    throw InputError(place_ + ": " + std::to_string(found.size()) + " rows with " +
                     std::string(column) + " '" + std::string(value) + "', not 1");
  }
  return *found.front();
}

}  // namespace drydock::fidelity
