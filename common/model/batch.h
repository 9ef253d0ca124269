#pragma once

#include <cstdint>
#include <vector>

namespace waitless {

/// Describes the rows of an activation matrix. A row is one token of some sequence, and four things about it are
/// independent: which sequence it belongs to, its position there, where its key and value are stored, and which
/// other tokens it may see. (Two sequences share position 5; siblings of a draft tree share a position; a block
/// that is being denoised reads the cache without being stored.)
///
/// T = rows of the batch, R = rows whose logits are wanted.
struct Batch {
  std::vector<int> sequence;       // [T]
  std::vector<int> position;       // [T] position in the sequence, from 0; what RoPE rotates by
  std::vector<std::int64_t> slot;  // [T] where the cache stores the row; kNotStored: nowhere
  std::vector<int> horizon;        // [T] the last position that the row sees; its own position when causal
  std::vector<int> parent;         // [T] in a draft tree, the row it continues (kRoot: none); kNoTree for rows of
                                   // other kinds; empty if the batch holds no tree
  std::vector<int> logit_rows;     // [R]

  static constexpr std::int64_t kNotStored = -1;
  static constexpr int kRoot = -1;
  static constexpr int kNoTree = -2;

  /// n tokens of one sequence from position `start` on, each seeing itself and everything before it; stored in
  /// slots start, start + 1, ...; logits of the last row.
  static Batch causal(int sequence, int start, int n);

  /// The same, but the first `prefix_len` positions of the sequence all see each other (prefix language models).
  static Batch prefix_causal(int sequence, int start, int n, int prefix_len);

  /// n tokens from position `start` on that see everything before them and each other, and are not stored; logits
  /// of all rows. (A block of a diffusion model.)
  static Batch bidirectional_block(int sequence, int start, int n);

  /// A draft tree that continues a sequence at position `start`: row t continues row parent[t] < t, or the
  /// sequence itself if parent[t] is kRoot, and sees its ancestors only. Not stored; logits of all rows.
  static Batch tree(int sequence, int start, std::vector<int> parent);

  /// Appends the rows of `other`, which may be of another kind.
  void append(const Batch& other);

  int n_rows() const { return int(position.size()); }

  /// Whether row t may see a token of `its_sequence` at `its_position` that is not a row of this batch (a cached
  /// one).
  bool sees_cached(int t, int its_sequence, int its_position) const {
    return its_sequence == sequence[t] && its_position <= horizon[t];
  }

  /// Whether row t may see row s of this batch.
  bool sees(int t, int s) const {
    return sees_cached(t, sequence[s], position[s]) &&
           (parent.empty() || parent[s] == kNoTree || is_ancestor_or_self(s, t));
  }

  /// @throws std::invalid_argument naming the first row whose entries contradict each other (lengths that differ,
  ///         a negative position, a horizon before the row itself, a parent after its child, a logit row outside)
  void check() const;

 private:
  bool is_ancestor_or_self(int s, int t) const;
};

}  // namespace waitless
