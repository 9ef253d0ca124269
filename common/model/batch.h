#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace waitless {

/// Describes the rows of an activation matrix. A row is one token of some sequence, and what is said of it is
/// independent: which sequence it belongs to, its position there, which other tokens it may see, and whether a cache is
/// to keep it. (Two sequences share position 5; siblings of a draft tree share a position; a block that is being
/// denoised reads the cache without being stored.) *Where* a cache keeps a row is the cache's own business.
///
/// A row sees an interval of positions of its own sequence: a causal row everything up to itself, a row of a block up
/// to the end of the block, a row behind gist tokens nothing before the gists. In a draft tree it sees of the tree only
/// its ancestors. And it may see an interval of one more sequence, its context.
///
/// T = rows of the batch, R = rows whose logits are wanted.
struct Batch {
  /// An interval of positions of a sequence, both ends included; none if last < first.
  struct Interval {
    int sequence = 0, first = 0, last = -1;
  };

  std::vector<int> token;               // [T] what to look up in the embedding; kVector: the next of `vectors`;
                                        // empty: whoever runs the layers brings their input
  std::vector<float> vectors;           // [rows that are kVector, d_model] inputs that are not tokens
  std::vector<int> sequence;            // [T]
  std::vector<int> position;            // [T] position in the sequence, from 0; what RoPE rotates by
  std::vector<int> first_visible;       // [T] the first position of its sequence that the row sees
  std::vector<int> last_visible;        // [T] the last one; its own position when causal
  std::vector<std::uint8_t> is_stored;  // [T] whether a cache keeps the row
  std::vector<int> parent;              // [T] in a draft tree, the row it continues (kRoot: none); kNoTree for rows of
                                        // other kinds; empty if the batch holds no tree
  std::vector<Interval> context;        // [T] what the row sees of one more sequence; empty: nothing
  std::vector<int> logit_rows;          // [R]

  static constexpr int kVector = -1;
  static constexpr int kRoot = -1;
  static constexpr int kNoTree = -2;

  int n_rows() const { return int(position.size()); }

  /// No rows. What is added next needs no memory until there are more rows than there were.
  void clear();

  // Each of these adds the tokens of one sequence from position `start` on; without tokens, n rows whose input comes
  // from elsewhere. A batch holds tokens for all of its rows or for none.

  /// Each row sees itself and everything before it; stored; logits of the last row.
  void add_causal(int its_sequence, int start, std::span<const int> tokens);
  void add_causal(int its_sequence, int start, int n);

  /// The same, but the first `prefix_len` positions of the sequence all see each other (prefix language models).
  void add_prefix_causal(int its_sequence, int start, std::span<const int> tokens, int prefix_len);
  void add_prefix_causal(int its_sequence, int start, int n, int prefix_len);

  /// The rows see everything before them and each other; not stored; logits of all rows. (A block of a diffusion
  /// model.)
  void add_bidirectional_block(int its_sequence, int start, std::span<const int> tokens);
  void add_bidirectional_block(int its_sequence, int start, int n);

  /// A draft tree that continues the sequence: the row of tokens[i] continues that of tokens[parent[i]], parent[i] < i,
  /// or the sequence itself if parent[i] is kRoot, and sees its ancestors only. Not stored; logits of all rows.
  /// @throws std::invalid_argument naming the first parent that does not come before its child
  void add_tree(int its_sequence, int start, std::span<const int> tokens, std::span<const int> parents);
  void add_tree(int its_sequence, int start, std::span<const int> parents);

  /// The rows of `other`, which may be of other kinds.
  void append(const Batch& other);

  // Batches of one kind, without tokens or with them.

  template <class Rows>
  static Batch causal(int sequence, int start, const Rows& rows) {
    Batch batch;
    batch.add_causal(sequence, start, rows);
    return batch;
  }
  template <class Rows>
  static Batch prefix_causal(int sequence, int start, const Rows& rows, int prefix_len) {
    Batch batch;
    batch.add_prefix_causal(sequence, start, rows, prefix_len);
    return batch;
  }
  template <class Rows>
  static Batch bidirectional_block(int sequence, int start, const Rows& rows) {
    Batch batch;
    batch.add_bidirectional_block(sequence, start, rows);
    return batch;
  }
  static Batch tree(int sequence, int start, const std::vector<int>& parents) {
    Batch batch;
    batch.add_tree(sequence, start, parents);
    return batch;
  }

  /// Whether row t sees an interval of one more sequence.
  bool has_context(int t) const { return !context.empty() && context[t].first <= context[t].last; }

  /// Whether row t may see a token of `its_sequence` at `its_position` that is not a row of this batch (a cached one).
  bool sees_cached(int t, int its_sequence, int its_position) const {
    if (its_sequence == sequence[t] && first_visible[t] <= its_position && its_position <= last_visible[t]) return true;
    return !context.empty() && its_sequence == context[t].sequence && context[t].first <= its_position &&
           its_position <= context[t].last;
  }

  /// Whether row t may see row s of this batch.
  bool sees(int t, int s) const {
    if (!sees_cached(t, sequence[s], position[s])) return false;
    const bool is_same_tree = !parent.empty() && parent[s] != kNoTree && sequence[s] == sequence[t];
    return !is_same_tree || is_ancestor_or_self(s, t);
  }

  /// @throws std::invalid_argument naming the first row whose entries contradict each other (lengths that differ,
  ///         a negative position, a row that does not see itself, a parent after its child, a logit row outside)
  void check() const;

 private:
  int add_rows(int its_sequence, int start, int n);
  void add_tokens(std::span<const int> tokens);
  bool is_ancestor_or_self(int s, int t) const;
};

}  // namespace waitless
