#include "common/course/starters/markers.h"

#include <optional>
#include <regex>

#include "common/base/error.h"
#include "common/course/system/text.h"

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
      check_announcement(marker, text);
      if (marker) {
        place(*marker, text);
      } else if (open_ && is_left_out(*open_)) {
        open_->lines.push_back(text);
      } else {
        append(text);
      }
    }
    if (announced_) fail_announced();
    if (open_) fail(open_->first_line, "SOLUTION_BEGIN(" + open_->id + ") has no SOLUTION_END(" + open_->id + ")");
    return std::move(starter_);
  }

 private:
  [[noreturn]] void fail(int line, const std::string& what) const {
    throw InputError(name_ + ":" + std::to_string(line) + ": " + what);
  }

  /// Of one exercise only what it asks for: what other exercises call of its helpers stays.
  bool is_left_out(const Region& region) const { return !only_ || (*only_ == region.id && !region.is_helper); }

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

  [[noreturn]] void fail_announced() const {
    fail(announced_line_, "no SOLUTION_BEGIN(" + *announced_ + ") stands directly below EXERCISE(" + *announced_ + ")");
  }

  /// Between an EXERCISE line and its region stand only the comments that go on with it.
  void check_announcement(const std::optional<Marker>& marker, const std::string& text) const {
    if (!announced_) return;
    const bool is_region = marker && marker->kind == MarkerKind::begin && marker->id == *announced_;
    if (!is_region && (marker || !trim(text).starts_with("//"))) fail_announced();
  }

  void place(const Marker& marker, const std::string& line) {
    switch (marker.kind) {
      case MarkerKind::exercise:
        if (open_) fail(line_, "EXERCISE(" + marker.id + ") stands inside the region " + open_->id);
        announced_ = marker.id;
        announced_line_ = line_;
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
    open_ = Region{id, line_, line_ + 1, {}, !announced_};
    if (announced_) open_->context_line = start_of_function(announced_line_);
    announced_.reset();
    if (open_->is_helper && !has_exercise_line(id))
      fail(line_, "no line EXERCISE(" + id + ") stands in the file of the region " + id);
    if (!is_left_out(*open_)) return append(line);
    if (!open_->is_helper) append(line.substr(0, line.find_first_not_of(" \t")) + "not_implemented(\"" + id + "\");");
  }

  void end(const std::string& line) {
    if (is_left_out(*open_))
      starter_.regions.push_back(std::move(*open_));
    else
      append(line);
    open_.reset();
  }

  /// The first line, counted from 1, of the text without blank lines that leads to line `n`: comments and the head of a
  /// function.
  int start_of_function(int n) const {
    const auto ends_what_was_before = [&](int line) {
      const std::string_view text = trim(lines_[std::size_t(line) - 1]);
      return text.empty() || text.starts_with("}");
    };
    while (n > 1 && !ends_what_was_before(n - 1)) --n;
    return n;
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
  std::optional<std::string> announced_;  // the exercise whose EXERCISE line has been read, and not yet its region
  int announced_line_ = 0;
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
