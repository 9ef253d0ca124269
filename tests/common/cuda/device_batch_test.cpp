#include "common/model/device_batch.h"

#include <vector>

#include "common/testing/cuda_test.h"
#include "tests/common/cuda/sees_kernels.h"

namespace waitless {
namespace {

using DeviceBatches = CudaTest;

template <class T>
std::vector<T> on_host(const T* data, std::size_t n) {
  std::vector<T> host(n);
  cuda_check(cudaMemcpy(host.data(), data, n * sizeof(T), cudaMemcpyDeviceToHost));
  return host;
}

/// Rows of every kind.
Batch all_kinds() {
  Batch batch = Batch::causal(0, 0, 4);
  batch.append(Batch::prefix_causal(1, 2, 3, 4));
  batch.append(Batch::tree(0, 4, {Batch::kRoot, 0, 0, 1, Batch::kRoot}));
  batch.append(Batch::tree(1, 5, {Batch::kRoot, 0}));
  batch.append(Batch::bidirectional_block(2, 3, 3));
  Batch reader = Batch::causal(3, 0, 3);
  reader.first_visible = {0, 1, 1};
  reader.context.assign(3, {0, 1, 5});
  batch.append(reader);
  return batch;
}

// Guards the mask: the device gives the host's answers.
TEST_F(DeviceBatches, SeeWhatTheHostSees) {
  // Oracle: Batch::sees() and sees_cached(), for every pair.
  const Batch batch = all_kinds();
  const DeviceBatch on_device(batch);
  const int T = batch.n_rows();
  DeviceBuffer<int> answers(std::size_t(T) * T);
  ask_sees(on_device.view(), answers.data());
  std::vector<int> got = answers.to_host();
  for (int t = 0; t < T; ++t) {
    for (int s = 0; s < T; ++s) EXPECT_EQ(got[t * T + s], batch.sees(t, s)) << "row " << t << " and row " << s;
  }
  for (int sequence = 0; sequence < 5; ++sequence) {
    ask_sees_cached(on_device.view(), sequence, T, answers.data());
    got = answers.to_host();
    for (int t = 0; t < T; ++t) {
      for (int position = 0; position < T; ++position) {
        EXPECT_EQ(got[t * T + position], batch.sees_cached(t, sequence, position))
            << "row " << t << ", position " << position << " of sequence " << sequence;
      }
    }
  }
}

// Guards inputs that are not tokens.
TEST_F(DeviceBatches, NumberTheVectors) {
  // Oracle: by hand.
  Batch batch = Batch::causal(0, 0, std::vector{Batch::kVector, 5, Batch::kVector});
  batch.vectors = {1, 2, 3, 4};
  const DeviceBatch on_device(batch);
  EXPECT_EQ(on_host(on_device.view().token, 3), (std::vector{-1, 5, -2}));
  EXPECT_EQ(on_host(on_device.view().vectors, 4), batch.vectors);
}

// Guards steps that follow each other: nothing stays of the batch before.
TEST_F(DeviceBatches, TakeEachOthersPlace) {
  // Oracle: by hand.
  DeviceBatch on_device(all_kinds());
  on_device.upload(Batch::causal(7, 9, std::vector{3, 4}));
  const BatchView& view = on_device.view();
  EXPECT_EQ(view.n_rows, 2);
  EXPECT_EQ(on_host(view.token, 2), (std::vector{3, 4}));
  EXPECT_EQ(on_host(view.sequence, 2), (std::vector{7, 7}));
  EXPECT_EQ(on_host(view.position, 2), (std::vector{9, 10}));
  EXPECT_EQ(on_host(view.logit_rows, std::size_t(view.n_logit_rows)), std::vector{1});
  EXPECT_EQ(view.parent, nullptr);
  EXPECT_EQ(view.context, nullptr);
  EXPECT_EQ(view.vectors, nullptr);
}

}  // namespace
}  // namespace waitless
