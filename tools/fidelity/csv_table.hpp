// A file of comma-separated values with a header.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tools/fidelity/calibration_data.hpp"

namespace drydock::fidelity {

class CsvTable {
 public:
  class Row {
   public:
    // The field of that column, without quotes. Throws scenarios::InputError if there is no such
    // column.
    const std::string& text(std::string_view column) const;
    // Throws scenarios::InputError if it is no number, or beyond a million million.
    double number(std::string_view column) const;
    // The same of what must be a whole number from 1 to `most`.
    std::int64_t count(std::string_view column, std::int64_t most) const;
    bool empty(std::string_view column) const { return text(column).empty(); }

   private:
    friend class CsvTable;
    [[noreturn]] void refuse(std::string_view column, const char* why) const;
    const CsvTable* table_ = nullptr;
    std::size_t line_ = 0;
    std::vector<std::string> fields_;
  };

  // Lines that begin with # are comments. Throws scenarios::InputError: a line has another number
  // of fields than the header, or there is nothing in the file.
  CsvTable(const CalibrationData& data, const std::string& name);
  CsvTable(const CsvTable&) = delete;
  CsvTable& operator=(const CsvTable&) = delete;

  const std::vector<Row>& rows() const { return rows_; }
  // Those whose field in `column` is `value`.
  std::vector<const Row*> rows_with(std::string_view column, std::string_view value) const;
  // The only one of them. Throws scenarios::InputError if there is none or another.
  const Row& row_with(std::string_view column, std::string_view value) const;

 private:
  std::string place_;
  std::map<std::string, std::size_t, std::less<>> columns_;
  std::vector<Row> rows_;
};

}  // namespace drydock::fidelity
