#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <new>
#include <optional>

#include "common/base/error.h"
#include "common/course/system/build.h"
#include "common/course/system/process.h"
#include "common/course/system/terminal.h"
#include "common/course/system/text.h"
#include "common/course/verbs/chapter_verbs.h"
#include "common/course/verbs/verbs.h"

namespace waitless::course {
namespace {

// Exit statuses: what was asked failed; what was asked makes no sense; Ctrl-C.
constexpr int kFailed = 1, kMisused = 2, kInterrupted = 130;

/// The command line. Each command stores what it was given here and runs after parsing.
class CommandLine {
 public:
  CommandLine() : app_("Wait Less: LLM inference optimization from scratch, in C++ and CUDA.", "./course") {
    app_.require_subcommand(1);
    app_.set_help_all_flag("--help-all", "Print the help of every command");
    learning();
    checking();
    setting_up();
    of_chapters();
  }

  int run(int argc, char** argv) {
    if (argc > 1 && argv[1][0] != '-') {
      const std::vector<std::string> names = verb_names();
      if (std::find(names.begin(), names.end(), argv[1]) == names.end())
        throw InputError(unknown("command", argv[1], names));
    }
    // What follows "--" is for the program that the command starts.
    char** const end =
        std::find_if(argv, argv + argc, [](const char* argument) { return std::string(argument) == "--"; });
    if (end != argv + argc) passed_on_.assign(end + 1, argv + argc);
    try {
      app_.parse(int(end - argv), argv);
    } catch (const CLI::CallForHelp& request) {
      return app_.exit(request);
    } catch (const CLI::CallForAllHelp& request) {
      return app_.exit(request);
    } catch (const CLI::ParseError& error) {
      std::cerr << "course: " << error.what() << "; see ./course " << (argc > 1 && argv[1][0] != '-' ? argv[1] : "")
                << (argc > 1 && argv[1][0] != '-' ? " --help" : "--help") << "\n";
      return kMisused;
    }
    return action_();
  }

 private:
  using Action = std::function<int()>;

  CLI::App* verb(const std::string& name, const std::string& does, const std::string& example, Action action) {
    CLI::App* verb = app_.add_subcommand(name, does);
    verb->footer("Example: ./course " + example);
    verb->callback([this, action = std::move(action)] { action_ = action; });
    return verb;
  }
  std::vector<std::string> verb_names() {
    std::vector<std::string> names;
    for (const CLI::App* verb : app_.get_subcommands({})) names.push_back(verb->get_name());
    return names;
  }
  void takes_chapter(CLI::App* verb) {
    verb->add_option("chapter", chapter_, "Number or name of a chapter: 01, 1 or 01_naive_generation")->required();
  }
  void takes_exercise(CLI::App* verb) {
    verb->add_option("exercise", exercise_, "Id of an exercise, such as 1.5 or C1.5")->required();
  }

  void learning() {
    verb("list", "Chapters, your points in each, and the next step", "list",
         [] { return list_command(Repository::find()); });

    run_ =
        verb("run", "Run a chapter's program; further options go to the program", "run 01 --mine --prompt \"It was\"",
             [this] { return run_command(Repository::find(), chapter_, whose(), extras_of(run_)); });
    takes_chapter(run_);
    run_->add_flag("--mine", mine_, "Your code of this chapter, on the solutions of earlier ones");
    run_->add_flag("--all-mine", all_mine_, "Your code of this chapter and of the earlier ones");
    run_->allow_extras();
    run_->footer(
        "Example: ./course run 01 --mine --prompt \"It was\"\nThe program's own options: ./course run 01 -- --help");

    CLI::App* profile =
        verb("profile", "Bytes, sectors and bank conflicts of a chapter's kernels", "profile 00 --solution",
             [this] { return profile_command(Repository::find(), chapter_, solution_, accelerator_); });
    takes_chapter(profile);
    profile->add_flag("--solution", solution_, "The solution's kernels instead of yours");
    profile->add_option("--on", accelerator_, "An accelerator of datasets/hardware.csv")->capture_default_str();

    CLI::App* test = verb("test", "Test your code of a chapter or of one exercise", "test 01 --filter 1.5",
                          [this] { return test_command(Repository::find(), chapter_, test_); });
    test->add_option("chapter", chapter_, "Number or name of a chapter, or the id of an exercise")->required();
    test->add_flag("--mine", test_.mine, "On your own earlier chapters instead of the solutions");
    test->add_flag("--solution", test_.solution, "Test the solution instead of your code");
    test->add_option("--filter", test_.filter,
                     "Only this exercise, or tests whose names match a pattern such as 'Rope.*'");

    CLI::App* hint = verb("hint", "One more hint for an exercise; there are three", "hint 1.5",
                          [this] { return hint_command(Repository::find(), exercise_, level_, reset_); });
    takes_exercise(hint);
    hint->add_option("--level", level_, "Show this hint, 1 to 3, again")->check(CLI::Range(1, 3));
    hint->add_flag("--reset", reset_, "Forget which hints were shown");

    takes_exercise(verb("solution", "Print the solution of an exercise", "solution 1.5",
                        [this] { return solution_command(Repository::find(), exercise_); }));

    CLI::App* diff = verb("diff", "What you changed in a chapter", "diff 01 --solution",
                          [this] { return diff_command(Repository::find(), chapter_, solution_); });
    takes_chapter(diff);
    diff->add_flag("--solution", solution_, "How the solution differs from your code");

    CLI::App* reset =
        verb("reset", "Put a chapter's starters back; your files are kept as a backup", "reset 01 --file rope.cpp",
             [this] { return reset_command(Repository::find(), chapter_, file_); });
    takes_chapter(reset);
    reset->add_option("--file", file_, "Only this file of the chapter");
  }

  void checking() {
    demo_ = verb("demo", "Generate text with every chapter and compare their speed and memory", "demo",
                 [this] { return demo_command(Repository::find(), extras_of(demo_)); });
    demo_->allow_extras();

    verb("check", "Build everything and run every test there is, or those of one chapter", "check 01", [this] {
      return check_command(Repository::find(), chapter_);
    })->add_option("chapter", chapter_, "Only this chapter");

    CLI::App* begin =
        verb("new", "Begin a chapter: code, tests, texts and all that belongs to it", "new 03_roofline --needs 02",
             [this] { return new_command(Repository::find(), chapter_, needs_); });
    begin->add_option("name", chapter_, "Two digits and words of small letters: 03_roofline")->required();
    begin->add_option("--needs", needs_, "An earlier chapter that it is built on; may be given several times");

    CLI::App* starters =
        verb("starters", "Generate chapters/ from solutions/, never over edited files", "starters --check",
             [this] { return starters_command(Repository::find(), chapter_, check_); });
    starters->add_option("chapter", chapter_, "Only this chapter");
    starters->add_flag("--check", check_,
                       "Write nothing; fail if a starter is out of date, shows a solution or has none");

    CLI::App* mutants =
        verb("mutants", "Whether a chapter's tests notice each wrong solution of its bank", "mutants 01 --only rope_*",
             [this] { return mutants_command(Repository::find(), chapter_, mutants_); });
    takes_chapter(mutants);
    mutants->add_option("--only", mutants_.only, "Only mutants whose names match this pattern");
    mutants->add_option("--jobs", mutants_.jobs, "How many at a time")->check(CLI::Range(1, 64));
    mutants->add_option("--optimize", mutants_.optimize, "Optimization level that the mutants are compiled at")
        ->check(CLI::IsMember({"0", "1", "2", "3"}));

    bench_ = verb("bench", "Run a chapter's benchmarks; further options go to Google Benchmark",
                  "bench 01 --benchmark_filter=Linear",
                  [this] { return bench_command(Repository::find(), chapter_, extras_of(bench_)); });
    takes_chapter(bench_);
    bench_->allow_extras();

    takes_chapter(verb("plot", "Plot a chapter's latest benchmarks as SVG and PNG", "plot 02",
                       [this] { return plot_command(Repository::find(), chapter_); }));
  }

  void setting_up() {
    CLI::App* fetch = verb("fetch", "Download a real model and check it", "fetch smollm2",
                           [this] { return fetch_command(model_, file_); });
    fetch->add_option("model", model_, "Name of the model; there is one: smollm2")->required();
    fetch->add_option("--from", file_, "Take the model from this file instead of downloading it");

    verb("docs", "Build the documentation as web pages", "docs", [] { return docs_command(Repository::find()); });
  }

  /// What chapters bring. --help belongs to their programs, which know the options.
  void of_chapters() {
    for (const ChapterVerb& it : known_verbs()) {
      const std::vector<std::string> own = verb_names();
      if (std::find(own.begin(), own.end(), it.name) != own.end())
        throw InputError("chapter " + it.chapter + " brings the verb " + it.name + ", which ./course has already");
      CLI::App* added = app_.add_subcommand(it.name, it.summary + " (chapter " + it.chapter.substr(0, 2) + ")");
      added->set_help_flag();
      added->set_help_all_flag();
      added->allow_extras();
      added->add_flag("--mine", mine_, "Your code of the chapter, on the solutions of earlier ones");
      added->add_flag("--all-mine", all_mine_, "Your code of the chapter and of the earlier ones");
      added->callback([this, it, added] {
        action_ = [this, it, added] {
          std::vector<std::string> arguments = {it.name};
          const std::vector<std::string> extras = extras_of(added);
          arguments.insert(arguments.end(), extras.begin(), extras.end());
          return run_command(Repository::find(), it.chapter, whose(), arguments);
        };
      });
    }
  }

  /// None outside of a clone, where the verbs of ./course say what is wrong.
  static std::vector<ChapterVerb> known_verbs() {
    std::optional<Repository> repository;
    try {
      repository = Repository::find();
    } catch (const InputError&) {
      return {};
    }
    return chapter_verbs(*repository);
  }

  Whose whose() const { return all_mine_ ? Whose::kAllMine : mine_ ? Whose::kMine : Whose::kSolution; }

  std::vector<std::string> extras_of(const CLI::App* verb) const {
    std::vector<std::string> extras = verb->remaining();
    extras.insert(extras.end(), passed_on_.begin(), passed_on_.end());
    return extras;
  }

  CLI::App app_;
  CLI::App *run_ = nullptr, *demo_ = nullptr, *bench_ = nullptr;  // pass what they do not know on
  Action action_;
  std::vector<std::string> passed_on_, needs_;
  std::string chapter_, exercise_, file_, model_;
  std::string accelerator_ = "H100-SXM";
  bool mine_ = false, all_mine_ = false, reset_ = false, solution_ = false, check_ = false;
  int level_ = 0;
  TestOptions test_;
  MutantOptions mutants_;
};

int run(int argc, char** argv) {
  catch_interrupts();
  try {
    const int status = CommandLine().run(argc, argv);
    if (!std::cout.flush()) throw InputError("cannot write to the standard output");
    return status;
  } catch (const InputError& error) {
    std::cerr << "course: " << error.what() << "\n";
    return kMisused;
  } catch (const BuildFailed& error) {
    std::cerr << error.what() << "course: the build failed\n";
    return kFailed;
  } catch (const Interrupted&) {
    std::cerr << "course: interrupted\n";
    return kInterrupted;
  } catch (const std::bad_alloc&) {
    std::cerr
        << "course: out of memory; if `ulimit -v` prints a number, the address space is limited: ulimit -v unlimited\n";
    return kFailed;
  } catch (const std::exception& error) {
    std::cerr << "course: " << error.what() << "\n";
    return kFailed;
  }
}

}  // namespace
}  // namespace waitless::course

int main(int argc, char** argv) { return waitless::course::run(argc, argv); }
