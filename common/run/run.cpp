#include "common/run/run.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/hardware/measure.h"
#include "common/model/gguf.h"
#include "common/run/models.h"
#include "common/tokenizer/utf8.h"

namespace waitless {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  std::string model = kDefaultModel;
  std::string prompt = "It is a truth universally acknowledged";
  std::string chat;
  int max_tokens = 64;
  float temperature = 0;
  int top_k = 0;
  float top_p = 1;
  std::uint64_t seed = 1;
  std::filesystem::path record;
  bool cuda = false;
};

#if defined(WAITLESS_GPU)
constexpr const char* kDevice = "cuda";
#else
constexpr const char* kDevice = "simt";
#endif

void add_options(CLI::App& app, const ChapterProgram& chapter, Options& options) {
  app.add_option("--model", options.model, "austen (default), smollm2, or a .gguf file");
  app.add_option("--prompt", options.prompt, "text to continue");
  app.add_option("--chat", options.chat, "a message to answer instead, in the model's chat format");
  app.add_option("--max-tokens,-n", options.max_tokens, "how many tokens at most")->check(CLI::PositiveNumber);
  app.add_option("--temperature", options.temperature, "0: always the most likely token")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--top-k", options.top_k, "draw among the k most likely tokens; 0: all")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--top-p", options.top_p, "draw among the most likely tokens that together reach p")
      ->check(CLI::Range(1e-6, 1.0));
  app.add_option("--seed", options.seed, "of the draws");
  app.add_option("--record", options.record, "write the measurements to this file as JSON");
  if (chapter.has_cuda) app.add_flag("--cuda", options.cuda, "on the GPU, or on simt where the course was built without");
  app.footer("Example: --model smollm2 --chat \"Are dogs real?\" --max-tokens 40");
}

void check_text(const std::string& text) {
  if (text.empty()) throw InputError("the prompt is empty: give --prompt some text");
  const std::size_t bad = find_invalid_utf8(text);
  if (bad != std::string::npos) {
    throw InputError("the prompt is not valid UTF-8: its byte " + std::to_string(bad) + " cannot stand there");
  }
}

Request load_request(const Options& options) {
  const std::string& text = options.chat.empty() ? options.prompt : options.chat;
  check_text(text);
  const GgufFile file = GgufFile::open(find_model(options.model));
  const Tokenizer tokenizer = Tokenizer::from_gguf(file);
  return {
      .model = load_model(file),
      .tokenizer = tokenizer,
      .prompt = options.chat.empty() ? tokenizer.encode_prompt(text) : tokenizer.encode_chat(text),
      .max_tokens = options.max_tokens,
      .temperature = options.temperature,
      .top_k = options.top_k,
      .top_p = options.top_p,
      .seed = options.seed,
      .cuda = options.cuda,
  };
}

/// The measurements of one generation, under the names of the record.
nlohmann::ordered_json measurements(const ChapterProgram& chapter, const Request& request, const Traffic& traffic,
                                    Clock::time_point start, const std::vector<Clock::time_point>& token_times) {
  const auto seconds = [](Clock::duration d) { return std::chrono::duration<double>(d).count(); };
  const std::size_t n = token_times.size();
  const double ttft = n > 0 ? seconds(token_times.front() - start) : 0;
  const double tpot = n > 1 ? seconds(token_times.back() - token_times.front()) / double(n - 1) : 0;
  const double bandwidth = measure_machine().read_bandwidth;
  const double moved = double(traffic.weight_bytes_per_token + traffic.kv_bytes_per_token);
  return {
      {"chapter", chapter.name},
      {"technique", chapter.technique},
      {"backend", request.cuda ? kDevice : "cpu"},
      {"model", request.model.config.name},
      {"prompt_tokens", request.prompt.size()},
      {"new_tokens", n},
      {"ttft_s", ttft},
      {"tpot_s", tpot},
      {"tokens_per_s", tpot > 0 ? 1 / tpot : 0},
      {"weight_bytes_per_token", traffic.weight_bytes_per_token},
      {"kv_bytes_per_token", traffic.kv_bytes_per_token},
      {"read_bandwidth", bandwidth},
      {"bandwidth_share", tpot > 0 ? moved / tpot / bandwidth : 0},
      {"kv_memory_bytes", traffic.kv_memory_bytes},
  };
}

void print_summary(const nlohmann::ordered_json& m) {
  const auto number = [&](const char* key) { return m.at(key).get<double>(); };
  std::fprintf(stderr,
               "\n[%s on %s: %d + %d tokens, TTFT %.1f ms, TPOT %.2f ms, %.1f tokens/s, %.1f MB of weights and %.1f MB of KV "
               "moved per token, %.0f %% of %.1f GB/s]\n",
               m.at("technique").get<std::string>().c_str(), m.at("backend").get<std::string>().c_str(), int(number("prompt_tokens")), int(number("new_tokens")),
               number("ttft_s") * 1e3, number("tpot_s") * 1e3, number("tokens_per_s"),
               number("weight_bytes_per_token") / 1e6, number("kv_bytes_per_token") / 1e6,
               number("bandwidth_share") * 100, number("read_bandwidth") / 1e9);
}

void write_record(const std::filesystem::path& path, const nlohmann::ordered_json& record) {
  std::ofstream file(path);
  file << record.dump(2) << '\n';
  if (!file.flush()) throw InputError("cannot write the record to " + path.string());
}

}  // namespace

int run_chapter(int argc, char** argv, const ChapterProgram& chapter,
                const std::function<Traffic(const Request& request, const ShowToken& on_token)>& generate) {
  CLI::App app{chapter.summary, chapter.name};
  Options options;
  add_options(app, chapter, options);
  try {
    app.parse(argc, argv);
    const Request request = load_request(options);
    if (options.chat.empty()) std::fputs(options.prompt.c_str(), stdout);
    std::fflush(stdout);

    std::vector<Clock::time_point> token_times;
    const auto show = [&](int token, std::string_view text) {
      if (token >= 0) token_times.push_back(Clock::now());
      std::fwrite(text.data(), 1, text.size(), stdout);
      std::fflush(stdout);
    };
    const Clock::time_point start = Clock::now();
    const Traffic traffic = generate(request, show);
    std::fputc('\n', stdout);
    std::fflush(stdout);

    const auto record = measurements(chapter, request, traffic, start, token_times);
    print_summary(record);
    if (!options.record.empty()) write_record(options.record, record);
    return 0;
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "%s: not enough memory for model %s\n", chapter.name, options.model.c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", chapter.name, error.what());
  }
  return 1;
}

}  // namespace waitless
