#include "common/course/markers.h"

#include <optional>
#include <regex>
#include <set>

#include "common/course/signature.h"
#include "common/course/text.h"
#include "common/error.h"

namespace waitless::course {
namespace {

enum class MarkerKind { exercise, begin, end };
struct Marker {
  MarkerKind kind;
  std::string id;
};

/// Reads a solution line by line and writes the starter, of one exercise or of all.
class StarterWriter {
 public:
  StarterWriter(std::string_view solution, const std::string& name, std::optional<std::string> only)
      : solution_(solution), name_(name), only_(std::move(only)), lines_(split_lines(solution)) {
    if (solution.find('\r') != std::string_view::npos) throw InputError(name + ": has Windows line ends; use \\n");
  }

  Starter write() {
    for (const std::string& text : lines_) {
      ++line_;
      const std::optional<Marker> marker = marker_of(text);
      if (marker) {
        place(*marker, text);
      } else if (open_ && is_left_out(open_->id)) {
        open_->lines.push_back(text);
      } else {
        append(text);
      }
      offset_ += text.size() + 1;
    }
    if (open_) fail(open_->first_line, "SOLUTION_BEGIN(" + open_->id + ") has no SOLUTION_END(" + open_->id + ")");
    return std::move(starter_);
  }

 private:
  [[noreturn]] void fail(int line, const std::string& what) const {
    throw InputError(name_ + ":" + std::to_string(line) + ": " + what);
  }

  bool is_left_out(const std::string& id) const { return !only_ || *only_ == id; }

  std::optional<Marker> marker_of(const std::string& line) const {
    static const std::regex looks_like_marker(R"(SOLUTION|EXERCISE|solution_(begin|end)\b|\b[Ee]xercise\()");
    static const std::regex exact(R"(\s*// (EXERCISE|SOLUTION_BEGIN|SOLUTION_END)\((C?\d+\.\d+)\)(: \S.*)?)");
    if (!std::regex_search(line, looks_like_marker)) return {};
    std::smatch match;
    if (!std::regex_match(line, match, exact) || (match[1] == "EXERCISE") != match[3].matched)
      fail(line_,
           "malformed marker; markers are '// EXERCISE(1.5): what to write', '// SOLUTION_BEGIN(1.5)' and "
           "'// SOLUTION_END(1.5)', each alone on its line");
    if (match[1] == "EXERCISE") return Marker{MarkerKind::exercise, match[2]};
    return Marker{match[1] == "SOLUTION_BEGIN" ? MarkerKind::begin : MarkerKind::end, match[2]};
  }

  void place(const Marker& marker, const std::string& line) {
    switch (marker.kind) {
      case MarkerKind::exercise:
        if (open_) fail(line_, "EXERCISE(" + marker.id + ") stands inside the region " + open_->id);
        announced_.insert(marker.id);
        append(line);
        return;
      case MarkerKind::begin:
        if (open_)
          fail(line_, "SOLUTION_BEGIN(" + marker.id + ") stands inside the region " + open_->id + " of line " +
                          std::to_string(open_->first_line));
        begin(marker.id, line);
        return;
      case MarkerKind::end:
        if (!open_) fail(line_, "SOLUTION_END(" + marker.id + ") has no SOLUTION_BEGIN(" + marker.id + ")");
        if (open_->id != marker.id)
          fail(line_, "SOLUTION_END(" + marker.id + ") closes the region " + open_->id + " of line " +
                          std::to_string(open_->first_line));
        end(line);
        return;
    }
  }

  void begin(const std::string& id, const std::string& line) {
    open_ = Region{id, line_, line_ + 1, {}, !starts_with_blank(line)};
    const bool is_announced = open_->is_helper ? has_exercise_line(id) : announced_.count(id) > 0;
    if (!is_announced) fail(line_, "no line EXERCISE(" + id + ") stands above the region " + id);
    if (!is_left_out(id)) return append(line);
    if (open_->is_helper) return;

    const auto function = enclosing_function(solution_.substr(0, offset_));
    if (!function) fail(line_, "the region " + id + " is not inside a function");
    if (!function->is_at_start) fail(line_, "the region " + id + " does not begin at the start of its function");
    open_->context_line = function->first_line;
    std::string arguments = '"' + id + '"';
    for (const std::string& parameter : function->parameters) arguments += ", " + parameter;
    append(line.substr(0, line.find_first_not_of(" \t")) + "not_implemented(" + arguments + ");");
  }

  void end(const std::string& line) {
    const std::size_t next = offset_ + line.size() + 1;
    const bool is_whole = open_->is_helper || (next < solution_.size() && closes_brace(solution_.substr(next)));
    if (!is_whole) fail(line_, "the region " + open_->id + " ends before its function does");
    if (is_left_out(open_->id))
      starter_.regions.push_back(std::move(*open_));
    else
      append(line);
    open_.reset();
  }

  bool has_exercise_line(const std::string& id) const {
    return solution_.find("// EXERCISE(" + id + "): ") != std::string_view::npos;
  }

  /// Where a helper was left out, the blank lines around it become one.
  void append(const std::string& line) {
    const bool follows_helper = !starter_.regions.empty() && starter_.regions.back().is_helper;
    const bool is_second_blank = line.empty() && (starter_.text.empty() || starter_.text.ends_with("\n\n"));
    if (follows_helper && is_second_blank) return;
    starter_.text += line + "\n";
  }

  std::string_view solution_;
  const std::string& name_;
  std::optional<std::string> only_;  // the exercise whose regions are left out; all if there is none
  std::vector<std::string> lines_;
  int line_ = 0;
  std::size_t offset_ = 0;  // where the current line begins
  std::set<std::string> announced_;
  std::optional<Region> open_;
  Starter starter_;
};

}  // namespace

Starter make_starter(std::string_view solution, const std::string& name) {
  return StarterWriter(solution, name, {}).write();
}

std::string without_exercise(std::string_view solution, const std::string& name, const std::string& id) {
  return StarterWriter(solution, name, id).write().text;
}

}  // namespace waitless::course
