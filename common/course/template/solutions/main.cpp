// Chapter @NN@ as a program: a small matrix whose columns are scaled, on the CPU and on the device.

#include <cstdio>
#include <span>
#include <string>

#include "common/cuda/device.h"
#include "common/cuda/device_buffer.h"
#include "common/run/program.h"
#include "scale_columns.h"
#include "scale_columns_cuda.h"

using namespace waitless;

namespace {

int n_tokens = 2, d_model = 8;

std::span<const float> numbers(const Matrix& m) { return {m.data(), std::size_t(m.size())}; }

void print(const std::string& name, const Matrix& m) {
  std::printf("%s, [%d, %d]\n", name.c_str(), int(m.rows()), int(m.cols()));
  for (Index t = 0; t < m.rows(); ++t) {
    for (Index i = 0; i < m.cols(); ++i) std::printf(" %6g", m(t, i));
    std::printf("\n");
  }
}

/// Row t of x holds t + 1, and column i is scaled by i + 1.
void show_both_twins() {
  Matrix x(n_tokens, d_model), scale(1, d_model), out(n_tokens, d_model);
  for (Index t = 0; t < x.rows(); ++t) x.row(t).setConstant(float(t + 1));
  for (Index i = 0; i < scale.cols(); ++i) scale(0, i) = float(i + 1);
  scale_columns(x, scale, out);
  print("on the CPU", out);

  const DeviceBuffer<float> device_x(numbers(x)), device_scale(numbers(scale));
  DeviceBuffer<float> device_out(out.size());
  scale_columns_cuda({device_x.data(), n_tokens, d_model}, {device_scale.data(), 1, d_model},
                     {device_out.data(), n_tokens, d_model});
  device_out.copy_to_host({out.data(), std::size_t(out.size())});
  print("on " + device_name(), out);
}

}  // namespace

int main(int argc, char** argv) {
  const Verb scale_verb{
      .name = "@CHAPTER@",
      .summary = "Scales the columns of a small matrix, on the CPU and on the device.",
      .add_options =
          [](ProgramOptions& options) {
            options.whole_number("--tokens", n_tokens, 1, 1000, "rows of the matrix");
            options.whole_number("--columns", d_model, 1, 1000, "columns of the matrix");
          },
      .run = show_both_twins,
  };
  const ChapterProgram program{
      .name = "@CHAPTER@",
      .technique = "@TITLE@",
      .summary = scale_verb.summary,
      .verbs = {scale_verb},
  };
  return run_program(argc, argv, program);
}
