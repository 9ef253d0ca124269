#include "fits.h"

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "common/base/csv.h"
#include "common/base/error.h"
#include "common/model/find_model.h"
#include "common/model/model.h"
#include "kv_bytes.h"
#include "what_fits.h"

namespace waitless {
namespace {

/// The rows of a table in datasets/.
struct Table {
  std::vector<CsvRow> rows;

  explicit Table(const char* file) : rows(read_csv(repository_root() / "datasets" / file)) {}

  std::optional<CsvRow> find(const std::string& name) const {
    for (const CsvRow& row : rows) {
      if (row.at("name") == name) return row;
    }
    return std::nullopt;
  }
  std::string names() const {
    std::string text;
    for (const CsvRow& row : rows) text += " " + row.at("name");
    return text;
  }
};

/// What a model keeps in memory: its parameters, and the shape of its cache.
struct ModelShape {
  double n_parameters = 0;
  KvShape kv;
};

ModelShape published_shape(const CsvRow& row) {
  const auto number = [&](const char* column) { return int(csv_number(row, column)); };
  return {
      .n_parameters = csv_number(row, "parameters"),
      .kv = {number("n_layers"), number("n_kv_heads"), number("head_dim"), number("latent_dim"), number("rope_dim")}};
}

ModelShape shape_of_file(const std::string& name) {
  const Model model = load_model(find_model(name), {.convert = keep_as_in_file});
  return {.n_parameters = double(model.n_parameters()), .kv = kv_shape(model.config)};
}

ModelShape find_shape(const std::string& model) {
  const Table published("model_shapes.csv");
  if (const auto row = published.find(model)) return published_shape(*row);
  try {
    return shape_of_file(model);
  } catch (const InputError& error) {
    throw InputError(std::string(error.what()) + "; published shapes are" + published.names());
  }
}

std::int64_t memory_bytes(const std::string& device) {
  const Table known("hardware.csv");
  const auto row = known.find(device);
  char* end = nullptr;
  const double gib = row ? csv_number(*row, "memory_gib") : std::strtod(device.c_str(), &end);
  if (!row && (*end != '\0' || !(gib > 0)))
    throw InputError("there is no device " + device + ": give a number of GiB, or one of" + known.names());
  return std::int64_t(gib * double(1 << 30));
}

}  // namespace

void print_fits(const FitsOptions& options) {
  const ModelShape shape = find_shape(options.model);
  const MemoryNeeds needs{.weight_bytes = std::int64_t(shape.n_parameters * options.weight_bits / 8),
                          .kv_bytes_per_token = kv_bytes_per_token(shape.kv, options.kv_bits)};
  const std::int64_t memory = memory_bytes(options.device);
  if (double(needs.kv_bytes_per_token) * double(options.context) * double(options.batch) > 9e18) {
    throw InputError("a cache for " + std::to_string(options.batch) + " sequences of " +
                     std::to_string(options.context) + " tokens is larger than any memory that 64 bits can address");
  }
  const MemoryBill bill = what_fits(needs, memory, options.context, options.batch);

  std::printf("%s on %s: batch %lld, context %lld, weights at %d bits, KV at %d bits\n\n", options.model.c_str(),
              options.device.c_str(), (long long)options.batch, (long long)options.context, options.weight_bits,
              options.kv_bits);
  const auto line = [&](const std::string& what, std::int64_t bytes) {
    std::printf("%-34s %14.3f GiB  %6.1f %%\n", what.c_str(), double(bytes) / double(1 << 30),
                100 * double(bytes) / double(memory));
  };
  line("memory", memory);
  line("weights", bill.weight_bytes);
  line("KV cache, " + std::to_string(needs.kv_bytes_per_token) + " bytes a token", bill.kv_bytes);
  line(bill.fits() ? "left" : "missing", std::abs(bill.left_bytes));
  std::printf("\n%s. ", bill.fits() ? "It fits" : "It does not fit");
  if (memory < bill.weight_bytes) {
    std::printf("Not even the weights do.\n");
  } else {
    std::printf("At context %lld the largest batch is %lld; at batch %lld the longest context is %lld.\n",
                (long long)options.context, (long long)bill.largest_batch, (long long)options.batch,
                (long long)bill.longest_context);
  }
  std::printf("Activations and the allocator need a few percent more, which are not on this bill.\n");
}

}  // namespace waitless
