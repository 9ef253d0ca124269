#include "common/run/fits_options.h"

#include <CLI/CLI.hpp>

#include "common/run/number.h"
#include "common/run/parse_and_run.h"

namespace waitless {

int run_fits(int argc, char** argv, const std::function<void(const FitsOptions&)>& print_bill) {
  CLI::App app{"Weights and KV cache against the memory of a device: what fits, and what does not.", "fits"};
  FitsOptions options;
  app.add_option("--model", options.model, "a name in datasets/model_shapes.csv, austen, smollm2, or a .gguf file");
  app.add_option("--context", options.context, "tokens of each sequence")->check(whole_number(1));
  app.add_option("--batch", options.batch, "sequences at a time")->check(whole_number(1));
  app.add_option("--device", options.device, "a name in datasets/hardware.csv, or a number of GiB");
  app.add_option("--weight-bits", options.weight_bits, "of each weight")->check(whole_number(1, 64));
  app.add_option("--kv-bits", options.kv_bits, "of each number in the cache")->check(whole_number(1, 64));
  app.footer("Example: --model Llama-3.1-8B --context 8192 --batch 16 --device H100-SXM");
  return parse_and_run(app, argc, argv, [&] { print_bill(options); });
}

}  // namespace waitless
