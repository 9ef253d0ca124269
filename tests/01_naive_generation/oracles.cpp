#include "oracles.h"

#include <cmath>

namespace waitless::oracle {

MatrixXd rms_norm(const MatrixXd& x, const MatrixXd& gain, double eps) {
  MatrixXd out(x.rows(), x.cols());
  for (Index t = 0; t < x.rows(); ++t) {
    double sum = 0;
    for (Index i = 0; i < x.cols(); ++i) sum += x(t, i) * x(t, i);
    for (Index i = 0; i < x.cols(); ++i) out(t, i) = x(t, i) / std::sqrt(sum / double(x.cols()) + eps) * gain(0, i);
  }
  return out;
}

MatrixXd rope(const MatrixXd& x, const std::vector<int>& position, int head_dim, double base, double scale) {
  MatrixXd out = x;
  for (Index t = 0; t < x.rows(); ++t) {
    for (Index c = 0; c < x.cols(); c += 2) {
      const double angle = position[t] / scale * std::pow(base, -double(c % head_dim) / head_dim);
      out(t, c) = x(t, c) * std::cos(angle) - x(t, c + 1) * std::sin(angle);
      out(t, c + 1) = x(t, c) * std::sin(angle) + x(t, c + 1) * std::cos(angle);
    }
  }
  return out;
}

MatrixXd attention(const Config& config, const MatrixXd& q, const MatrixXd& k, const MatrixXd& v, const Batch& batch) {
  const int D = config.head_dim, T = batch.n_rows();
  MatrixXd out = MatrixXd::Zero(T, config.n_heads * D);
  for (int h = 0; h < config.n_heads; ++h) {
    const int kv = h / (config.n_heads / config.n_kv_heads);
    for (int t = 0; t < T; ++t) {
      double total = 0;
      for (int s = 0; s < T; ++s) {
        if (!batch.sees(t, s)) continue;
        double score = 0;
        for (int d = 0; d < D; ++d) score += q(t, h * D + d) * k(s, kv * D + d);
        const double weight = std::exp(score / std::sqrt(double(D)));
        total += weight;
        for (int d = 0; d < D; ++d) out(t, h * D + d) += weight * v(s, kv * D + d);
      }
      for (int d = 0; d < D; ++d) out(t, h * D + d) /= total;
    }
  }
  return out;
}

MatrixXd swiglu(const MatrixXd& gate, const MatrixXd& up) {
  MatrixXd out(gate.rows(), gate.cols());
  for (Index i = 0; i < gate.size(); ++i) {
    const double z = gate.data()[i];
    out.data()[i] = z / (1 + std::exp(-z)) * up.data()[i];
  }
  return out;
}

MatrixXd values(const Weight& w) {
  std::vector<float> row(w.cols);
  MatrixXd out(w.rows, w.cols);
  for (Index r = 0; r < w.rows; ++r) {
    expand_row(w, r, row);
    for (Index c = 0; c < w.cols; ++c) out(r, c) = row[c];
  }
  return out;
}

MatrixXd embed(const Model& model, std::span<const int> tokens) {
  const MatrixXd table = values(model.token_embedding);
  MatrixXd x(tokens.size(), table.cols());
  for (std::size_t t = 0; t < tokens.size(); ++t) x.row(t) = table.row(tokens[t]);
  return x;
}

MatrixXd decode_layers(const Model& model, MatrixXd x, const Batch& batch, int first, int last) {
  const Config& c = model.config;
  const auto project = [](const MatrixXd& in, const Weight& w) -> MatrixXd { return in * values(w).transpose(); };
  const auto rotate = [&](const MatrixXd& in) {
    return rope(in, batch.position, c.head_dim, c.rope.base, c.rope.position_scale);
  };
  for (int l = first; l < last; ++l) {
    const Layer& w = model.layers[l];
    const MatrixXd a = rms_norm(x, values(w.attention_norm), c.norm_eps);
    const MatrixXd attended =
        attention(c, rotate(project(a, w.query)), rotate(project(a, w.key)), project(a, w.value), batch);
    x += project(attended, w.attention_output);
    const MatrixXd f = rms_norm(x, values(w.feed_forward_norm), c.norm_eps);
    x += project(swiglu(project(f, w.gate), project(f, w.up)), w.down);
  }
  return x;
}

MatrixXd forward(const Model& model, std::span<const int> tokens, const Batch& batch) {
  const MatrixXd x = decode_layers(model, embed(model, tokens), batch, 0, model.config.n_layers);
  MatrixXd chosen(batch.logit_rows.size(), x.cols());
  for (std::size_t r = 0; r < batch.logit_rows.size(); ++r) chosen.row(r) = x.row(batch.logit_rows[r]);
  return rms_norm(chosen, values(model.output_norm), model.config.norm_eps) * values(model.output).transpose();
}

}  // namespace waitless::oracle
