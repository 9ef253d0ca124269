#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace waitless {

struct NamedModel;

/// Which numbers an option takes.
struct NumberRange {
  double from = 0, to = 1e300;
  bool is_above = false;  // `from` itself is too small
};

/// The command line of a program: what may stand on it, and the variables that receive it. What a variable holds
/// beforehand is the default. Names are written "--max-tokens,-n"; a name without dashes stands for a plain argument.
/// The variables must outlive run().
class ProgramOptions {
 public:
  ProgramOptions(const std::string& program, const std::string& summary);
  ~ProgramOptions();
  ProgramOptions(const ProgramOptions&) = delete;
  ProgramOptions& operator=(const ProgramOptions&) = delete;

  /// An option without a value.
  void flag(const std::string& names, bool& value, const std::string& help);
  void text(const std::string& names, std::string& value, const std::string& help);
  void text(const std::string& names, std::optional<std::string>& value, const std::string& help);
  /// May be given several times; each adds a text.
  void texts(const std::string& names, std::vector<std::string>& values, const std::string& help);
  void choice(const std::string& names, std::string& value, const std::vector<std::string>& choices,
              const std::string& help);
  /// A whole number from `from` to `to`, both included; an int, std::int64_t or std::uint64_t.
  template <class Whole>
  void whole_number(const std::string& names, Whole& value, std::type_identity_t<Whole> from,
                    std::type_identity_t<Whole> to, const std::string& help);
  /// A float or a double, always finite.
  template <class Real>
  void number(const std::string& names, Real& value, const NumberRange& range, const std::string& help);
  /// A model, by its name or file; load_models() loads it. Without a name, given or by default, nothing is loaded.
  void model(const std::string& names, NamedModel& model, const std::string& help);

  /// The last line of --help.
  void example(const std::string& arguments);

  /// The models that have options.
  const std::vector<NamedModel*>& models() const { return models_; }

  /// Reads the command line and calls `body`. What is wrong with it, or goes wrong in `body`, is printed to standard
  /// error as one sentence.
  /// @return the exit status: what `body` returns, 0 after --help, or 1
  int run(int argc, const char* const* argv, const std::function<int()>& body);

 private:
  struct Parser;  // CLI11, which takes seconds to compile
  std::unique_ptr<Parser> parser_;
  std::vector<NamedModel*> models_;
};

}  // namespace waitless
