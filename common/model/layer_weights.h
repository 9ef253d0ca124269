#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "common/model/model.h"

namespace waitless {

namespace layer_sizes {
inline int one(const Config&) { return 1; }
inline int d_model(const Config& c) { return c.d_model; }
inline int q_dim(const Config& c) { return c.q_dim(); }
inline int kv_dim(const Config& c) { return c.kv_dim(); }
inline int d_ff(const Config& c) { return c.d_ff; }
}  // namespace layer_sizes

/// One of the nine weights that have a place of their own in a layer.
template <class W>
struct LayerWeight {
  const char* name;  // in the file, behind "blk.<layer>."
  WeightRole role;
  W BasicLayer<W>::*member;
  int (*rows)(const Config&);
  int (*cols)(const Config&);
};

/// All nine, in the order in which files list them. Whatever treats weights alike goes through this table.
template <class W>
inline constexpr LayerWeight<W> kLayerWeights[] = {
    {"attn_norm.weight", WeightRole::kAttentionNorm, &BasicLayer<W>::attention_norm, layer_sizes::one,
     layer_sizes::d_model},
    {"attn_q.weight", WeightRole::kQuery, &BasicLayer<W>::query, layer_sizes::q_dim, layer_sizes::d_model},
    {"attn_k.weight", WeightRole::kKey, &BasicLayer<W>::key, layer_sizes::kv_dim, layer_sizes::d_model},
    {"attn_v.weight", WeightRole::kValue, &BasicLayer<W>::value, layer_sizes::kv_dim, layer_sizes::d_model},
    {"attn_output.weight", WeightRole::kAttentionOutput, &BasicLayer<W>::attention_output, layer_sizes::d_model,
     layer_sizes::q_dim},
    {"ffn_norm.weight", WeightRole::kFeedForwardNorm, &BasicLayer<W>::feed_forward_norm, layer_sizes::one,
     layer_sizes::d_model},
    {"ffn_gate.weight", WeightRole::kGate, &BasicLayer<W>::gate, layer_sizes::d_ff, layer_sizes::d_model},
    {"ffn_up.weight", WeightRole::kUp, &BasicLayer<W>::up, layer_sizes::d_ff, layer_sizes::d_model},
    {"ffn_down.weight", WeightRole::kDown, &BasicLayer<W>::down, layer_sizes::d_model, layer_sizes::d_ff},
};

/// Calls f(name, weight) for every weight that a layer has: those of the nine that are not empty, then the extra ones.
/// `AnyLayer` is a BasicLayer, const or not.
template <class AnyLayer, class F>
void for_each_weight(AnyLayer& layer, const F& f) {
  using W = std::remove_cvref_t<decltype(layer.query)>;
  for (const LayerWeight<W>& it : kLayerWeights<W>) {
    if ((layer.*it.member).rows != 0) f(std::string(it.name), layer.*it.member);
  }
  for (auto& [name, weight] : layer.extra) f(name, weight);
}

/// The place of a weight in a layer: one of the nine, or an extra one, which is made if there is none of that name.
template <class W>
W& weight_named(BasicLayer<W>& layer, const std::string& name) {
  for (const LayerWeight<W>& it : kLayerWeights<W>) {
    if (name == it.name) return layer.*it.member;
  }
  return layer.extra[name];
}

/// The same for the weights of a whole model, each by its full name in the file. A tied output counts once, as the
/// token embedding.
template <class F>
void for_each_weight(const Model& model, const F& f) {
  const auto visit = [&](const std::string& name, const Weight& w) {
    if (w.rows != 0) f(name, w);
  };
  visit("token_embd.weight", model.token_embedding);
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    for_each_weight(model.layers[l],
                    [&](const std::string& name, const Weight& w) { f("blk." + std::to_string(l) + "." + name, w); });
  }
  visit("output_norm.weight", model.output_norm);
  if (!model.has_tied_output()) visit("output.weight", model.output);
  for (const auto& [name, weight] : model.extra) visit(name, weight);
}

}  // namespace waitless
