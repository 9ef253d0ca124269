#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include "common/csv.h"
#include "common/error.h"
#include "common/model/model.h"
#include "common/run/fits_options.h"
#include "common/run/models.h"
#include "kv_bytes.h"
#include "what_fits.h"

namespace waitless {

/// The row of a table with this name; if there is none, is_known is false and "name" lists all of them.
inline CsvRow find_row(const std::filesystem::path& table, const std::string& name, bool& is_known) {
  std::string names;
  for (const CsvRow& row : read_csv(table)) {
    if (row.at("name") == name) return is_known = true, row;
    names += " " + row.at("name");
  }
  is_known = false;
  return {{"name", names}};
}

/// Weights and cache of a published shape, or of a file that the course can run.
inline MemoryNeeds memory_needs(const FitsOptions& options) {
  bool is_known;
  const CsvRow row = find_row(repository_root() / "datasets" / "model_shapes.csv", options.model, is_known);
  double parameters = 0;
  KvShape shape;
  if (is_known) {
    const auto number = [&](const char* column) { return int(csv_number(row, column)); };
    parameters = csv_number(row, "parameters");
    shape = {number("n_layers"), number("n_kv_heads"), number("head_dim"), number("latent_dim"), number("rope_dim")};
  } else {
    Model model;
    try {
      model = load_model(find_model(options.model), Expand::kNo);
    } catch (const InputError& error) {
      throw InputError(std::string(error.what()) + "; published shapes are" + row.at("name"));
    }
    const auto add = [&](const Weight& w) { parameters += double(w.rows) * double(w.cols); };
    for (const LayerWeights& l : model.layers) {
      for (const Weight* w : {&l.attention_norm, &l.query, &l.key, &l.value, &l.attention_output, &l.feed_forward_norm,
                              &l.gate, &l.up, &l.down}) {
        add(*w);
      }
    }
    add(model.token_embedding);
    add(model.output_norm);
    if (model.output.data != model.token_embedding.data) add(model.output);
    shape = kv_shape(model.config);
  }
  return {.weight_bytes = std::int64_t(parameters * options.weight_bits / 8),
          .kv_bytes_per_token = kv_bytes_per_token(shape, options.kv_bits)};
}

/// Memory of a device of the table, or of one with so many GiB.
inline std::int64_t memory_bytes(const FitsOptions& options) {
  bool is_known;
  const CsvRow row = find_row(repository_root() / "datasets" / "hardware.csv", options.device, is_known);
  char* end = nullptr;
  const double gib = is_known ? csv_number(row, "memory_gib") : std::strtod(options.device.c_str(), &end);
  if (!is_known && (*end != '\0' || !(gib > 0))) {
    throw InputError("there is no device " + options.device + ": give a number of GiB, or one of" + row.at("name"));
  }
  return std::int64_t(gib * double(1 << 30));
}

inline void print_bill(const FitsOptions& options) {
  const MemoryNeeds needs = memory_needs(options);
  const std::int64_t memory = memory_bytes(options);
  if (double(needs.kv_bytes_per_token) * double(options.context) * double(options.batch) > 9e18)
    throw InputError("a cache for " + std::to_string(options.batch) + " sequences of " +
                     std::to_string(options.context) + " tokens is larger than any memory that 64 bits can address");
  const MemoryBill bill = what_fits(needs, memory, options.context, options.batch);
  const auto line = [&](const char* what, std::int64_t bytes) {
    std::printf("%-34s %14.3f GiB  %6.1f %%\n", what, double(bytes) / double(1 << 30),
                100 * double(bytes) / double(memory));
  };
  std::printf("%s on %s: batch %lld, context %lld, weights at %d bits, KV at %d bits\n\n", options.model.c_str(),
              options.device.c_str(), (long long)options.batch, (long long)options.context, options.weight_bits,
              options.kv_bits);
  line("memory", memory);
  line("weights", bill.weight_bytes);
  line(("KV cache, " + std::to_string(needs.kv_bytes_per_token) + " bytes a token").c_str(), bill.kv_bytes);
  line(bill.fits() ? "left" : "missing", std::abs(bill.left_bytes));
  std::printf("\n%s. ", bill.fits() ? "It fits" : "It does not fit");
  if (memory < bill.weight_bytes)
    std::printf("Not even the weights do.\n");
  else
    std::printf("At context %lld the largest batch is %lld; at batch %lld the longest context is %lld.\n",
                (long long)options.context, (long long)bill.largest_batch, (long long)options.batch,
                (long long)bill.longest_context);
  std::printf("Activations and the allocator need a few percent more, which are not on this bill.\n");
}

}  // namespace waitless
