#include "common/course/grading/readme_table.h"

#include <algorithm>
#include <map>
#include <regex>

#include "common/course/system/text.h"

namespace waitless::course {
namespace {

using Row = std::map<std::string, std::string>;  // column -> text

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> texts;
  for (const std::string& cell : split(line, '|')) texts.emplace_back(trim(cell));
  return texts;
}

/// The rows of all tables that have the columns id and points.
std::vector<Row> exercise_rows(std::string_view readme) {
  std::vector<Row> rows;
  std::vector<std::string> columns;
  for (const std::string& line : split_lines(readme)) {
    const std::vector<std::string> texts = line.starts_with("|") ? cells(line) : std::vector<std::string>{};
    if (texts.empty()) columns.clear();
    if (columns.empty()) {
      columns = texts;
      continue;
    }
    Row row;
    for (std::size_t i = 0; i < std::min(texts.size(), columns.size()); ++i) row[columns[i]] = texts[i];
    if (row.count("id") && row.count("points") && !row["id"].starts_with("-")) rows.push_back(row);
  }
  return rows;
}

/// "`a.cu`, `b.cu`" -> a.cu, b.cu
std::vector<std::string> in_backquotes(const std::string& text) {
  static const std::regex quoted("`([^`]*)`");
  std::vector<std::string> names;
  for (std::sregex_iterator i(text.begin(), text.end(), quoted), end; i != end; ++i) names.push_back((*i)[1]);
  return names;
}

}  // namespace

std::vector<std::string> readme_differences(std::string_view readme, const std::string& name, const Rubric& rubric) {
  std::map<std::string, Row> rows;
  std::vector<std::string> messages;
  for (Row& row : exercise_rows(readme)) {
    const std::string id = row["id"];
    if (!rubric.find(id)) messages.push_back(name + ": " + id + " is not in the rubric");
    if (!rows.emplace(id, row).second) messages.push_back(name + ": " + id + " stands in two rows");
  }
  for (const Exercise& exercise : rubric.exercises) {
    const std::string where = name + ": " + exercise.id;
    if (!rows.count(exercise.id)) {
      messages.push_back(where + " has no row in a table with the columns id and points");
      continue;
    }
    Row& row = rows[exercise.id];
    if (row["points"] != std::to_string(exercise.points))
      messages.push_back(where + " gives " + row["points"] + " points, the rubric " + std::to_string(exercise.points));
    if (row.count("file") && in_backquotes(row["file"]) != exercise.files)
      messages.push_back(where + " is in " + row["file"] + ", the rubric says " + join(exercise.files, ", "));
    const bool says_optional = std::any_of(
        row.begin(), row.end(), [](const auto& cell) { return cell.second.find("optional") != std::string::npos; });
    if (says_optional != exercise.is_optional)
      messages.push_back(where + (exercise.is_optional ? " does not say that it is optional"
                                                       : " is called optional, and in the rubric it is not"));
  }
  return messages;
}

}  // namespace waitless::course
