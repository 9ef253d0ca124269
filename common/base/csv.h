#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "common/base/error.h"

namespace waitless {

/// A row of a table, by the names of its columns.
using CsvRow = std::map<std::string, std::string>;

/// The fields of one line; a field in double quotes may hold commas, and "" for a quote.
inline std::vector<std::string> split_csv_line(const std::string& line) {
  std::vector<std::string> fields(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && is_quoted && i + 1 < line.size() && line[i + 1] == '"')
      fields.back() += line[++i];
    else if (c == '"')
      is_quoted = !is_quoted;
    else if (c == ',' && !is_quoted)
      fields.emplace_back();
    else
      fields.back() += c;
  }
  return fields;
}

/// Reads a table whose first line names the columns. A field ends at the end of its line.
/// @throws InputError naming file and line if it cannot be read or a line has another number of fields
inline std::vector<CsvRow> read_csv(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) throw InputError("cannot read " + path.string());
  const std::vector<std::string> names = split_csv_line(line);
  std::vector<CsvRow> rows;
  for (int number = 2; std::getline(file, line); ++number) {
    if (line.empty()) continue;
    const std::vector<std::string> fields = split_csv_line(line);
    if (fields.size() != names.size()) {
      throw InputError(path.string() + ":" + std::to_string(number) + ": has " + std::to_string(fields.size()) +
                       " fields, expected " + std::to_string(names.size()));
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (i == 0) rows.emplace_back();
      rows.back()[names[i]] = fields[i];
    }
  }
  return rows;
}

/// The number in a column.
/// @throws InputError if there is none
inline double csv_number(const CsvRow& row, const std::string& column) {
  const auto found = row.find(column);
  char* end = nullptr;
  const double value = found == row.end() ? 0 : std::strtod(found->second.c_str(), &end);
  if (found == row.end() || found->second.empty() || *end != '\0') {
    throw InputError("the table has no number in column " + column + " of " + (row.empty() ? "" : row.begin()->second));
  }
  return value;
}

}  // namespace waitless
