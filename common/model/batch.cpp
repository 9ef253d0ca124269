#include "common/model/batch.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace waitless {
namespace {

[[noreturn]] void contradiction(int row, const std::string& reason) {
  throw std::invalid_argument("batch row " + std::to_string(row) + ": " + reason);
}

template <class T>
void extend(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

void Batch::clear() {
  for (std::vector<int>* entries :
       {&token, &sequence, &position, &first_visible, &last_visible, &parent, &logit_rows}) {
    entries->clear();
  }
  vectors.clear();
  is_stored.clear();
  context.clear();
}

/// Causal rows, without logits. @return the first of them
int Batch::add_rows(int its_sequence, int start, int n) {
  const int first = n_rows();
  for (int i = 0; i < n; ++i) {
    sequence.push_back(its_sequence);
    position.push_back(start + i);
    first_visible.push_back(0);
    last_visible.push_back(start + i);
    is_stored.push_back(true);
    if (!parent.empty()) parent.push_back(kNoTree);
    if (!context.empty()) context.emplace_back();
  }
  return first;
}

void Batch::add_tokens(std::span<const int> tokens) { token.insert(token.end(), tokens.begin(), tokens.end()); }

void Batch::add_causal(int its_sequence, int start, int n) {
  const int first = add_rows(its_sequence, start, n);
  if (n > 0) logit_rows.push_back(first + n - 1);
}

void Batch::add_causal(int its_sequence, int start, std::span<const int> tokens) {
  add_causal(its_sequence, start, int(tokens.size()));
  add_tokens(tokens);
}

void Batch::add_prefix_causal(int its_sequence, int start, int n, int prefix_len) {
  const int first = n_rows();
  add_causal(its_sequence, start, n);
  for (int t = first; t < n_rows(); ++t) last_visible[t] = std::max(last_visible[t], prefix_len - 1);
}

void Batch::add_prefix_causal(int its_sequence, int start, std::span<const int> tokens, int prefix_len) {
  add_prefix_causal(its_sequence, start, int(tokens.size()), prefix_len);
  add_tokens(tokens);
}

void Batch::add_bidirectional_block(int its_sequence, int start, int n) {
  for (int t = add_rows(its_sequence, start, n); t < n_rows(); ++t) {
    last_visible[t] = start + n - 1;
    is_stored[t] = false;
    logit_rows.push_back(t);
  }
}

void Batch::add_bidirectional_block(int its_sequence, int start, std::span<const int> tokens) {
  add_bidirectional_block(its_sequence, start, int(tokens.size()));
  add_tokens(tokens);
}

void Batch::add_tree(int its_sequence, int start, std::span<const int> parents) {
  for (int i = 0; i < int(parents.size()); ++i) {
    if (parents[i] < kRoot || parents[i] >= i) {
      contradiction(n_rows() + i, "its parent " + std::to_string(parents[i]) + " does not come before it");
    }
  }
  if (parent.empty()) parent.assign(n_rows(), kNoTree);
  const int first = add_rows(its_sequence, start, int(parents.size()));
  parent.resize(n_rows());
  for (int t = first; t < n_rows(); ++t) {
    const int of_tree = parents[t - first];
    parent[t] = of_tree == kRoot ? kRoot : of_tree + first;
    position[t] = last_visible[t] = of_tree == kRoot ? start : position[parent[t]] + 1;
    is_stored[t] = false;
    logit_rows.push_back(t);
  }
}

void Batch::add_tree(int its_sequence, int start, std::span<const int> tokens, std::span<const int> parents) {
  add_tree(its_sequence, start, parents);
  add_tokens(tokens);
}

void Batch::append(const Batch& other) {
  const int first = n_rows();
  if (!parent.empty() || !other.parent.empty()) {
    parent.resize(first, kNoTree);
    for (int t = 0; t < other.n_rows(); ++t) {
      const int of_row = other.parent.empty() ? kNoTree : other.parent[t];
      parent.push_back(of_row >= 0 ? of_row + first : of_row);
    }
  }
  if (!context.empty() || !other.context.empty()) {
    context.resize(first);
    extend(context, other.context);
    context.resize(first + other.n_rows());
  }
  extend(token, other.token);
  extend(vectors, other.vectors);
  extend(sequence, other.sequence);
  extend(position, other.position);
  extend(first_visible, other.first_visible);
  extend(last_visible, other.last_visible);
  extend(is_stored, other.is_stored);
  for (int row : other.logit_rows) logit_rows.push_back(row + first);
}

bool Batch::is_ancestor_or_self(int s, int t) const {
  while (t > s) t = parent[t];  // parents come before their children, so t meets s or falls below it
  return t == s;
}

void Batch::check() const {
  const std::size_t n = position.size();
  const auto fits = [n](const auto& entries) { return entries.size() == n; };
  const auto is_empty_or_fits = [&](const auto& entries) { return entries.empty() || fits(entries); };
  if (!fits(sequence) || !fits(first_visible) || !fits(last_visible) || !fits(is_stored)) {
    throw std::invalid_argument(
        "batch: sequence, position, first_visible, last_visible and is_stored differ in length");
  }
  if (!is_empty_or_fits(token) || !is_empty_or_fits(parent) || !is_empty_or_fits(context)) {
    throw std::invalid_argument("batch: token, parent and context must have an entry for each row, or none");
  }
  for (int t = 0; t < int(n); ++t) {
    if (position[t] < 0) contradiction(t, "its position " + std::to_string(position[t]) + " is negative");
    if (first_visible[t] > position[t] || last_visible[t] < position[t]) contradiction(t, "it cannot see itself");
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
