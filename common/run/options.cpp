#include "common/run/options.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "common/run/named_model.h"

namespace waitless {
namespace {

/// The whole of `text` as a number, or nothing.
template <class Whole>
std::optional<Whole> to_whole_number(const std::string& text) {
  Whole value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<double> to_number(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != '\0' || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// "a number from 0", "above 0 and at most 1"
std::string words_of(const NumberRange& range) {
  const auto digits = [](double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", x);
    return std::string(text);
  };
  std::string words = (range.is_above ? "above " : "a number from ") + digits(range.from);
  if (range.to < NumberRange{}.to) words += (range.is_above ? " and at most " : " to ") + digits(range.to);
  return words;
}

[[noreturn]] void refuse(const std::string& name, const std::string& wanted, const std::string& text) {
  throw CLI::ValidationError(name, "must be " + wanted + ", not " + text);
}

/// "--max-tokens" of "--max-tokens,-n"
std::string first_name(const std::string& names) { return names.substr(0, names.find(',')); }

}  // namespace

struct ProgramOptions::Parser {
  Parser(const std::string& program, const std::string& summary) : app(summary, program) {}

  CLI::App app;

  /// An option whose value `read` takes from its text.
  CLI::Option* add(const std::string& names, const std::string& help,
                   const std::function<void(const std::string&)>& read) {
    return app.add_option_function<std::string>(names, read, help);
  }
};

ProgramOptions::ProgramOptions(const std::string& program, const std::string& summary)
    : parser_(std::make_unique<Parser>(program, summary)) {}

ProgramOptions::~ProgramOptions() = default;

void ProgramOptions::flag(const std::string& names, bool& value, const std::string& help) {
  parser_->app.add_flag(names, value, help);
}

void ProgramOptions::text(const std::string& names, std::string& value, const std::string& help) {
  parser_->add(names, help, [&value](const std::string& given) { value = given; });
}

void ProgramOptions::text(const std::string& names, std::optional<std::string>& value, const std::string& help) {
  parser_->add(names, help, [&value](const std::string& given) { value = given; });
}

void ProgramOptions::texts(const std::string& names, std::vector<std::string>& values, const std::string& help) {
  parser_->app.add_option(names, values, help)->expected(1)->take_all();
}

void ProgramOptions::choice(const std::string& names, std::string& value, const std::vector<std::string>& choices,
                            const std::string& help) {
  parser_->app.add_option(names, value, help)->check(CLI::IsMember(choices));
}

template <class Whole>
void ProgramOptions::whole_number(const std::string& names, Whole& value, std::type_identity_t<Whole> from,
                                  std::type_identity_t<Whole> to, const std::string& help) {
  const auto read = [&value, from, to, name = first_name(names)](const std::string& given) {
    const std::optional<Whole> number = to_whole_number<Whole>(given);
    if (!number || *number < from || *number > to)
      refuse(name, "a whole number from " + std::to_string(from) + " to " + std::to_string(to), given);
    value = *number;
  };
  parser_->add(names, help, read)->type_name("NUMBER")->default_str(std::to_string(value));
}

template void ProgramOptions::whole_number(const std::string&, int&, int, int, const std::string&);
template void ProgramOptions::whole_number(const std::string&, std::int64_t&, std::int64_t, std::int64_t,
                                           const std::string&);
template void ProgramOptions::whole_number(const std::string&, std::uint64_t&, std::uint64_t, std::uint64_t,
                                           const std::string&);

template <class Real>
void ProgramOptions::number(const std::string& names, Real& value, const NumberRange& range, const std::string& help) {
  const auto read = [&value, range, name = first_name(names)](const std::string& given) {
    const std::optional<double> number = to_number(given);
    const bool is_large_enough = number && (range.is_above ? *number > range.from : *number >= range.from);
    if (!is_large_enough || *number > range.to || !std::isfinite(Real(*number))) refuse(name, words_of(range), given);
    value = Real(*number);
  };
  char digits[32];
  std::snprintf(digits, sizeof digits, "%g", double(value));
  parser_->add(names, help, read)->type_name("NUMBER")->default_str(digits);
}

template void ProgramOptions::number(const std::string&, float&, const NumberRange&, const std::string&);
template void ProgramOptions::number(const std::string&, double&, const NumberRange&, const std::string&);

void ProgramOptions::model(const std::string& names, NamedModel& model, const std::string& help) {
  models_.push_back(&model);
  const std::string which = model.name.empty() ? "" : model.name + " (default), ";
  parser_->app.add_option(names, model.name, help + ": " + which + "austen-draft, smollm2, or a .gguf file");
}

void ProgramOptions::example(const std::string& arguments) { parser_->app.footer("Example: " + arguments); }

int ProgramOptions::run(int argc, const char* const* argv, const std::function<int()>& body) {
  CLI::App& app = parser_->app;
  try {
    app.parse(argc, argv);
    return body();
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", app.get_name().c_str(), error.what());
    return 1;
  }
}

}  // namespace waitless
