#include "common/testing/gguf_writer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <stdexcept>

namespace waitless {
namespace {

std::uint16_t float_to_half(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint16_t sign = std::uint16_t(bits >> 16 & 0x8000);
  const std::uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;       // NaN
  if (std::abs(value) >= 65520.0f) return sign | 0x7c00;  // rounds to infinity
  if (std::abs(value) < 0x1p-14f) return std::uint16_t(sign | int(std::nearbyint(std::abs(value) * 0x1p24f)));
  const std::uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);  // to nearest, ties to even
  return std::uint16_t(sign | ((rounded >> 13) - (112 << 10)));
}

std::uint16_t float_to_bfloat16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000) return std::uint16_t(bits >> 16 | 0x40);  // NaN
  return std::uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/// Codes of 32 numbers on the grid minimum + scale * (0 .. max_code), as bytes.
std::string codes(const float* x, float scale, float minimum, int max_code) {
  std::string out;
  for (int i = 0; i < 32; ++i) {
    const float code = scale == 0 ? 0 : std::floor((x[i] - minimum) / scale + 0.5f);
    out += char(int(std::clamp(code, 0.0f, float(max_code))));
  }
  return out;
}

/// Two 4-bit codes a byte: code i in the low half, code i + 16 in the high half.
std::string pack_nibbles(const std::string& codes) {
  std::string out;
  for (int i = 0; i < 16; ++i) out += char(codes[i] | codes[i + 16] << 4);
  return out;
}

std::string encode_block(const float* x, WeightType type) {
  const auto half = [](float value) { return GgufWriter::value_bytes(float_to_half(value)); };
  switch (type) {
    case WeightType::kF32:
      return GgufWriter::value_bytes(*x);
    case WeightType::kF16:
      return half(*x);
    case WeightType::kBF16:
      return GgufWriter::value_bytes(float_to_bfloat16(*x));
    case WeightType::kQ8_0: {
      const float largest = *std::max_element(x, x + 32, [](float a, float b) { return std::abs(a) < std::abs(b); });
      const float scale = std::abs(largest) / 127;
      std::string out = half(scale);
      for (int i = 0; i < 32; ++i) out += char(scale == 0 ? 0 : int(std::round(x[i] / scale)));
      return out;
    }
    case WeightType::kQ4_0: {  // the number of largest magnitude, with its sign, becomes -8 * scale
      const float largest = *std::max_element(x, x + 32, [](float a, float b) { return std::abs(a) < std::abs(b); });
      const float scale = largest / -8;
      return half(scale) + pack_nibbles(codes(x, scale, -8 * scale, 15));
    }
    case WeightType::kQ4_1: {
      const float minimum = *std::min_element(x, x + 32), scale = (*std::max_element(x, x + 32) - minimum) / 15;
      return half(scale) + half(minimum) + pack_nibbles(codes(x, scale, minimum, 15));
    }
  }
  throw std::invalid_argument("unknown weight type");
}

/// A byte in GPT-2's alphabet: printable Latin-1 stands for itself, the others take U+0100 and up in order.
std::string byte_text(int byte) {
  int code_point = 0x100;
  for (int b = 0; b <= byte; ++b) {
    const bool printable = (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || b >= 174;
    if (b == byte && printable) code_point = byte;
    if (b < byte && !printable) ++code_point;
  }
  if (code_point < 0x80) return std::string(1, char(code_point));
  return {char(0xC0 | code_point >> 6), char(0x80 | (code_point & 0x3f))};
}

std::string token_text(const std::string& bytes) {
  std::string out;
  for (const unsigned char byte : bytes) out += byte_text(byte);
  return out;
}

}  // namespace

void GgufWriter::set_raw(const std::string& key, std::uint32_t type, std::string value) {
  const auto same = std::find_if(metadata.begin(), metadata.end(), [&](const Entry& it) { return it.key == key; });
  if (same == metadata.end()) {
    metadata.push_back({key, type, std::move(value)});
  } else {
    *same = {key, type, std::move(value)};
  }
}

void GgufWriter::erase(const std::string& name) {
  std::erase_if(metadata, [&](const Entry& it) { return it.key == name; });
  std::erase_if(tensors, [&](const Tensor& it) { return it.name == name; });
}

GgufWriter::Tensor& GgufWriter::tensor(const std::string& name) {
  for (Tensor& it : tensors) {
    if (it.name == name) return it;
  }
  throw std::out_of_range("no tensor is called " + name);
}

std::string GgufWriter::bytes() const {
  std::string out = value_bytes(magic) + value_bytes(version);
  out += value_bytes(claimed_tensors.value_or(tensors.size())) + value_bytes(claimed_entries.value_or(metadata.size()));
  for (const Entry& it : metadata) out += value_bytes(it.key) + value_bytes(it.type) + it.value;

  std::string data;
  for (const Tensor& it : tensors) {
    data.resize((data.size() + alignment - 1) / alignment * alignment);
    out += value_bytes(it.name) + value_bytes(std::uint32_t(it.shape.size()));
    for (const std::uint64_t n : it.shape) out += value_bytes(n);
    out += value_bytes(it.type) + value_bytes(it.offset.value_or(data.size()));
    data += it.data;
  }
  out.resize((out.size() + alignment - 1) / alignment * alignment);
  return out + data;
}

void GgufWriter::save(const std::filesystem::path& path) const {
  std::ofstream out(path, std::ios::binary);
  out << bytes();
  if (!out.flush()) throw std::runtime_error("cannot write " + path.string());
}

GgufFile parse_gguf(std::string bytes, const std::string& name) {
  // Words instead of characters: their address is a multiple of 8.
  const auto words = std::make_shared<std::vector<std::uint64_t>>(bytes.size() / 8 + 1);
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(words->data()));
  return GgufFile::parse(name, {reinterpret_cast<const std::byte*>(words->data()), bytes.size()}, words);
}

std::string encode_weights(const ConstMatrixRef& values, WeightType type) {
  std::string out;
  for (Index row = 0; row < values.rows(); ++row) {
    for (Index col = 0; col < values.cols(); col += find_format(type)->values) {
      out += encode_block(values.data() + row * values.outerStride() + col, type);
    }
  }
  return out;
}

GgufWriter to_gguf(const Model& model, WeightType type) {
  const Config& c = model.config;
  GgufWriter file;
  file.set("general.architecture", "llama");
  file.set("general.name", c.name);
  const auto set_int = [&](const char* key, int value) { file.set(std::string("llama.") + key, std::uint32_t(value)); };
  set_int("vocab_size", c.vocab_size);
  set_int("context_length", c.context_length);
  set_int("block_count", c.n_layers);
  set_int("embedding_length", c.d_model);
  set_int("feed_forward_length", c.d_ff);
  set_int("attention.head_count", c.n_heads);
  set_int("attention.head_count_kv", c.n_kv_heads);
  set_int("attention.key_length", c.head_dim);
  set_int("attention.value_length", c.head_dim);
  set_int("rope.dimension_count", c.head_dim);
  file.set("llama.attention.layer_norm_rms_epsilon", c.norm_eps);
  file.set("llama.rope.freq_base", c.rope.base);
  if (c.rope.position_scale != 1) {
    file.set("llama.rope.scaling.type", "linear");
    file.set("llama.rope.scaling.factor", c.rope.position_scale);
  }

  const auto add = [&](const std::string& name, const Weight& w) {
    const bool is_norm = w.rows == 1;
    const WeightType stored = is_norm ? WeightType::kF32 : type;
    std::vector<std::uint64_t> shape = {std::uint64_t(w.cols)};
    if (!is_norm) shape.push_back(std::uint64_t(w.rows));
    file.tensors.push_back({name + ".weight", shape, std::uint32_t(stored), encode_weights(w.f32(), stored), {}});
  };
  add("token_embd", model.token_embedding);
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const LayerWeights& l = model.layers[i];
    const std::string prefix = "blk." + std::to_string(i) + ".";
    add(prefix + "attn_norm", l.attention_norm);
    add(prefix + "attn_q", l.query);
    add(prefix + "attn_k", l.key);
    add(prefix + "attn_v", l.value);
    add(prefix + "attn_output", l.attention_output);
    add(prefix + "ffn_norm", l.feed_forward_norm);
    add(prefix + "ffn_gate", l.gate);
    add(prefix + "ffn_up", l.up);
    add(prefix + "ffn_down", l.down);
  }
  add("output_norm", model.output_norm);
  if (model.output.data != model.token_embedding.data) add("output", model.output);
  return file;
}

void add_tokenizer(GgufWriter& writer, const std::vector<std::string>& special,
                   const std::vector<std::pair<std::string, std::string>>& merges, const std::string& pre) {
  std::vector<std::string> tokens = special, lines;
  for (int byte = 0; byte < 256; ++byte) tokens.push_back(byte_text(byte));
  for (const auto& [left, right] : merges) {
    tokens.push_back(token_text(left + right));
    lines.push_back(token_text(left) + " " + token_text(right));
  }
  std::vector<std::int32_t> types(tokens.size(), 1);            // normal
  std::fill_n(types.begin(), special.size(), std::int32_t(3));  // control
  writer.set("tokenizer.ggml.model", "gpt2");
  writer.set("tokenizer.ggml.pre", pre);
  writer.set("tokenizer.ggml.tokens", tokens);
  writer.set("tokenizer.ggml.token_type", types);
  writer.set("tokenizer.ggml.merges", lines);
  writer.set("tokenizer.ggml.eos_token_id", std::uint32_t(0));
}

}  // namespace waitless
