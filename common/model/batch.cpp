#include "common/model/batch.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

namespace waitless {
namespace {

std::vector<int> consecutive(int start, int n) {
  std::vector<int> values(n);
  std::iota(values.begin(), values.end(), start);
  return values;
}

[[noreturn]] void contradiction(int row, const std::string& reason) {
  throw std::invalid_argument("batch row " + std::to_string(row) + ": " + reason);
}

}  // namespace

Batch Batch::causal(int sequence, int start, int n) {
  Batch batch;
  batch.sequence.assign(n, sequence);
  batch.position = consecutive(start, n);
  batch.slot.assign(batch.position.begin(), batch.position.end());
  batch.horizon = batch.position;
  if (n > 0) batch.logit_rows = {n - 1};
  return batch;
}

Batch Batch::prefix_causal(int sequence, int start, int n, int prefix_len) {
  Batch batch = causal(sequence, start, n);
  for (int& last_seen : batch.horizon) last_seen = std::max(last_seen, prefix_len - 1);
  return batch;
}

Batch Batch::bidirectional_block(int sequence, int start, int n) {
  Batch batch = causal(sequence, start, n);
  batch.horizon.assign(n, start + n - 1);
  batch.slot.assign(n, kNotStored);
  batch.logit_rows = consecutive(0, n);
  return batch;
}

Batch Batch::tree(int sequence, int start, std::vector<int> parent) {
  const int n = int(parent.size());
  Batch batch = causal(sequence, start, n);
  for (int t = 0; t < n; ++t) {
    if (parent[t] < kRoot || parent[t] >= t) {
      contradiction(t, "its parent " + std::to_string(parent[t]) + " does not come before it");
    }
    batch.position[t] = parent[t] == kRoot ? start : batch.position[parent[t]] + 1;
  }
  batch.horizon = batch.position;
  batch.slot.assign(n, kNotStored);
  batch.logit_rows = consecutive(0, n);
  batch.parent = std::move(parent);
  return batch;
}

void Batch::append(const Batch& other) {
  const int first = n_rows();
  const bool has_tree = !parent.empty() || !other.parent.empty();
  const auto extend = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  if (has_tree && parent.empty()) parent.assign(first, kNoTree);
  if (has_tree) {
    for (int t = 0; t < other.n_rows(); ++t) {
      const int of_row = other.parent.empty() ? kNoTree : other.parent[t];
      parent.push_back(of_row >= 0 ? of_row + first : of_row);
    }
  }
  extend(sequence, other.sequence);
  extend(position, other.position);
  extend(slot, other.slot);
  extend(horizon, other.horizon);
  for (int row : other.logit_rows) logit_rows.push_back(row + first);
}

bool Batch::is_ancestor_or_self(int s, int t) const {
  while (t > s) t = parent[t];  // parents come before their children, so t meets s or falls below it
  return t == s;
}

void Batch::check() const {
  const std::size_t n = position.size();
  if (sequence.size() != n || slot.size() != n || horizon.size() != n || (!parent.empty() && parent.size() != n)) {
    throw std::invalid_argument("batch: sequence, position, slot, horizon and parent differ in length");
  }
  for (int t = 0; t < int(n); ++t) {
    if (position[t] < 0) contradiction(t, "its position " + std::to_string(position[t]) + " is negative");
    if (slot[t] < kNotStored) contradiction(t, "its slot " + std::to_string(slot[t]) + " is negative");
    if (horizon[t] < position[t]) contradiction(t, "it cannot see itself");
    if (!parent.empty() && (parent[t] < kNoTree || parent[t] >= t)) {
      contradiction(t, "its parent " + std::to_string(parent[t]) + " does not come before it");
    }
  }
  for (int row : logit_rows) {
    if (row < 0 || row >= int(n)) {
      throw std::invalid_argument("batch: logit row " + std::to_string(row) + " is outside its " + std::to_string(n) +
                                  " rows");
    }
  }
}

}  // namespace waitless
