#include "common/testing/gguf_writer.h"

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "common/cuda/half.h"
#include "common/model/layer_weights.h"

namespace waitless {
namespace {

std::string encode_value(float value, WeightType type) {
  switch (type) {
    case WeightType::kF32:
      return GgufWriter::value_bytes(value);
    case WeightType::kF16:
      return GgufWriter::value_bytes(half_t(value).bits);
    case WeightType::kBF16:
      return GgufWriter::value_bytes(bf16_t(value).bits);
    default:
      throw std::invalid_argument("encode_weights: F32, F16 and BF16 only");
  }
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
    for (Index col = 0; col < values.cols(); ++col) out += encode_value(values(row, col), type);
  }
  return out;
}

Weight weight_of_bytes(WeightType type, Index rows, Index cols, std::string bytes, WeightRole role, int layer) {
  const auto owner = std::make_shared<std::string>(std::move(bytes));
  Weight w;
  w.role = role;
  w.layer = layer;
  w.format = find_format(type);
  w.rows = rows;
  w.cols = cols;
  w.data = reinterpret_cast<const std::byte*>(owner->data());
  w.owner = owner;
  return w;
}

ConvertWeight stored_as(WeightType type) {
  return [type](const Weight& w) {
    return weight_of_bytes(type, w.rows, w.cols, encode_weights(w.f32(), type), w.role, w.layer);
  };
}

GgufWriter to_gguf(const Model& model, const ConvertWeight& convert) {
  const Config& c = model.config;
  GgufWriter file;
  file.set("general.architecture", c.architecture);
  file.set("general.name", c.name);
  const auto key = [&](const char* name) { return c.architecture + "." + name; };
  const auto set_int = [&](const char* name, int value) { file.set(key(name), std::uint32_t(value)); };
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
  file.set(key("attention.layer_norm_rms_epsilon"), c.norm_eps);
  file.set(key("rope.freq_base"), c.rope.base);
  if (c.rope.position_scale != 1) {
    file.set(key("rope.scaling.type"), "linear");
    file.set(key("rope.scaling.factor"), c.rope.position_scale);
  }
  if (!c.causal) file.set(key("attention.causal"), false);

  for_each_weight(model, [&](const std::string& name, const Weight& w) {
    const Weight stored = is_matrix(w.role) ? convert(w) : w;
    check_argument(stored.panel_rows == 1 && stored.scales.empty(), "to_gguf: files hold plain rows of blocks");
    std::string data;
    for (Index row = 0; row < stored.rows; ++row) {
      data.append(reinterpret_cast<const char*>(stored.row_data(row)), std::size_t(stored.row_bytes()));
    }
    std::vector<std::uint64_t> shape = {std::uint64_t(w.cols)};
    if (w.rows > 1) shape.push_back(std::uint64_t(w.rows));
    file.tensors.push_back({name, shape, std::uint32_t(stored.type()), data, {}});
  });
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
