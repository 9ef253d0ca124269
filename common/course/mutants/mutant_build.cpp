#include "common/course/mutants/mutant_build.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/base/error.h"
#include "common/course/system/build.h"
#include "common/course/system/process.h"
#include "common/course/system/text.h"

namespace waitless::course {
namespace {

namespace fs = std::filesystem;

/// The command that links `target`, in the build folder.
std::vector<std::string> find_link_command(const fs::path& build, const std::string& target) {
  const fs::path make_script = build / "CMakeFiles" / (target + ".dir") / "link.txt";
  if (fs::exists(make_script)) return split_command(trim(read_text(make_script)));
  const std::string ninja = cache_value(build, "CMAKE_MAKE_PROGRAM");
  const ProcessResult commands = run_process({ninja, "-C", build.string(), "-t", "commands", target});
  if (!commands.ok()) throw InputError("ninja does not tell how it links " + target);
  const std::vector<std::string> lines = split_lines(commands.output);
  // ": && c++ ... -o target ... && :" is the last one.
  std::vector<std::string> words = split_command(lines.back()), command;
  for (const std::string& word : words) {
    if (word == "&&" && command.size() > 1) break;
    if (word != ":" && word != "&&") command.push_back(word);
  }
  return command;
}

void replace_output(std::vector<std::string>& command, const fs::path& output) {
  const auto option = std::find(command.begin(), command.end(), "-o");
  if (option == command.end() || option + 1 == command.end())
    throw InputError("a command without -o: " + join(command, " "));
  *(option + 1) = output.string();
}

void run_or_throw(const std::vector<std::string>& command, const fs::path& folder, const std::string& what) {
  ProcessOptions options;
  options.folder = folder;
  const ProcessResult result = run_process(command, options);
  if (result.ok()) return;
  std::string first_error;
  for (const std::string& line : split_lines(result.output)) {
    if (first_error.empty() && line.find("error") != std::string::npos) first_error = line;
  }
  throw InputError(what + ": " + (first_error.empty() ? std::string(trim(result.output)) : first_error));
}

}  // namespace

std::vector<std::string> split_command(std::string_view command) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (quote == 0 && (c == ' ' || c == '\n')) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (c == quote)
      quote = 0;
    else if (quote == 0 && (c == '"' || c == '\''))
      quote = c;
    else if (c == '\\' && quote != '\'' && i + 1 < command.size())
      words.back() += command[++i];
    else
      words.back() += c;
  }
  return words;
}

/// Whether a compile command, or a word of it, asks for the checks of simt.
static bool is_checked(const std::string& command) { return command.find("-fsanitize=thread") != std::string::npos; }

MutantBuild::MutantBuild(const Repository& repository, const std::string& chapter, const std::string& optimize)
    : repository_(repository), chapter_(chapter), optimize_(optimize) {
  const fs::path file = repository.build / "compile_commands.json";
  const auto commands = nlohmann::json::parse(read_text(file), nullptr, false);
  if (!commands.is_array()) throw InputError(repository.shown(file) + " is not valid JSON");
  for (const auto& entry : commands) {
    const std::string source = entry.value("file", ""), command = entry.value("command", "");
    if (fs::path(source).parent_path() != repository.solution(chapter)) continue;
    // Kernels are compiled twice; the tests are linked with those that have checks.
    if (is_checked(command) || compile_commands_.count(source) == 0) compile_commands_[source] = split_command(command);
  }
  const std::string target = chapter + "_solution";
  link_command_ = find_link_command(repository.build, target + "_test");
  for (const std::string& word : link_command_) {
    const std::string name = fs::path(word).filename();
    if (name == "lib" + target + ".a" || name == "lib" + target + "_checked.a") library_ = word;
  }
  if (library_.empty()) throw InputError("the link command of " + target + "_test names no lib" + target + ".a");
}

std::vector<std::string> MutantBuild::compile_command(const std::string& file) const {
  const auto found = compile_commands_.find(file);
  if (found == compile_commands_.end())
    throw InputError("CMake compiles no file " + repository_.shown(file) + "; mutants change .cpp and .cu files");
  std::vector<std::string> command = found->second;
  // Wrong code may have unused variables; and the tests need not be fast.
  std::erase(command, "-Werror");
  command.insert(command.end() - 2, "-w");
  // Counters of checked kernels hold for the optimization that they are compiled with.
  if (std::none_of(command.begin(), command.end(), is_checked)) command.insert(command.end() - 2, "-O" + optimize_);
  return command;
}

void MutantBuild::precompile(const fs::path& folder) {
  std::map<std::string, std::string> copies;  // of precompiled headers
  for (auto& [file, command] : compile_commands_) {
    const auto option = std::find(command.begin(), command.end(), "-include");
    if (option == command.end() || is_checked(join(command, " "))) continue;
    std::string& header = *(option + 1);
    std::string& copy = copies[header];
    if (copy.empty()) {
      copy = (folder / ("precompiled" + std::to_string(copies.size()) + ".h")).string();
      write_text(copy, read_text(header));
      std::vector<std::string> parse = compile_command(file);
      const auto included = std::find(parse.begin(), parse.end(), "-include");
      parse.erase(included, included + 2);
      std::replace(parse.begin(), parse.end(), file, copy);
      replace_output(parse, copy + ".gch");
      parse.insert(parse.end() - 2, {"-x", "c++-header"});
      run_or_throw(parse, repository_.build, "headers do not compile");
    }
    header = copy;
  }
}

fs::path MutantBuild::compile(const std::string& name, const std::string& text, const fs::path& folder) const {
  const fs::path original = repository_.solution(chapter_) / name, changed = folder / name;
  write_text(changed, text);
  std::vector<std::string> command = compile_command(original.string());
  const auto output = std::find(command.begin(), command.end(), "-o");
  const fs::path object = folder / (output == command.end() ? "" : fs::path(*(output + 1)).filename());
  std::replace(command.begin(), command.end(), original.string(), changed.string());
  replace_output(command, object);
  run_or_throw(command, repository_.build, "does not compile");
  return object;
}

fs::path MutantBuild::build(const std::map<std::string, std::string>& files, const fs::path& folder) const {
  std::vector<std::string> objects;
  for (const auto& [name, text] : files) objects.push_back(compile(name, text, folder));

  // Ahead of the library, from which the linker then takes the other objects alone.
  std::vector<std::string> link = link_command_;
  link.insert(std::find(link.begin(), link.end(), library_), objects.begin(), objects.end());
  const fs::path program = folder / "test";
  replace_output(link, program);
  run_or_throw(link, repository_.build, "does not link");
  return program;
}

}  // namespace waitless::course
