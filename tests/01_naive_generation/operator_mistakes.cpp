#include "operator_mistakes.h"

#include <cmath>
#include <functional>

namespace waitless {
namespace {

double sum_of_squares(const Matrix& x, Index row) { return x.row(row).cast<double>().squaredNorm(); }

/// x[t, i] * factor(t, i)
RowMajorXd scaled(const Matrix& x, const std::function<double(Index, Index)>& factor) {
  RowMajorXd out(x.rows(), x.cols());
  for (Index t = 0; t < x.rows(); ++t) {
    for (Index i = 0; i < x.cols(); ++i) out(t, i) = double(x(t, i)) * factor(t, i);
  }
  return out;
}

}  // namespace

std::vector<Mistake> rms_norm_mistakes(const Matrix& x, const Matrix& gain, double eps) {
  const double D = double(x.cols());
  const auto mean_square = [&](Index t) { return sum_of_squares(x, t) / D; };
  return {
      {"eps is added outside of the root",
       scaled(x, [&](Index t, Index i) { return gain(0, i) / (std::sqrt(mean_square(t)) + eps); })},
      {"eps is forgotten", scaled(x, [&](Index t, Index i) { return gain(0, i) / std::sqrt(mean_square(t)); })},
      {"eps is added to the sum, before the mean",
       scaled(x, [&](Index t, Index i) { return gain(0, i) / std::sqrt(mean_square(t) + eps / D); })},
      {"the sum of the squares is not divided by the number of columns",
       scaled(x, [&](Index t, Index i) { return gain(0, i) / std::sqrt(mean_square(t) * D + eps); })},
      {"the gain is forgotten", scaled(x, [&](Index t, Index) { return 1 / std::sqrt(mean_square(t) + eps); })},
      {"the root is forgotten", scaled(x, [&](Index t, Index i) { return gain(0, i) / (mean_square(t) + eps); })},
      {"all rows are scaled by the mean square of the first",
       scaled(x, [&](Index, Index i) { return gain(0, i) / std::sqrt(mean_square(0) + eps); })},
  };
}

std::vector<Mistake> rms_norm_warp_mistakes(const Matrix& x, const Matrix& gain, double eps) {
  constexpr int kLanes = 32;
  std::vector<Mistake> mistakes = rms_norm_mistakes(x, gain, eps);
  RowMajorXd own(x.rows(), x.cols()), down(x.rows(), x.cols()), one_short(x.rows(), x.cols());
  for (Index t = 0; t < x.rows(); ++t) {
    std::vector<double> lane(kLanes, 0.0);  // sums of squares
    for (Index i = 0; i < x.cols(); ++i) lane[i % kLanes] += double(x(t, i)) * x(t, i);
    const auto norm_with = [&](const std::vector<double>& sums, RowMajorXd& out) {
      for (Index i = 0; i < x.cols(); ++i) {
        out(t, i) = x(t, i) / std::sqrt(sums[i % kLanes] / double(x.cols()) + eps) * gain(0, i);
      }
    };
    norm_with(lane, own);
    std::vector<double> shifted = lane, halved = lane;
    for (int distance = kLanes / 2; distance > 0; distance /= 2) {
      for (int l = 0; l < kLanes; ++l) shifted[l] += shifted[l + distance < kLanes ? l + distance : l];
      if (distance == 1) continue;
      const std::vector<double> before = halved;
      for (int l = 0; l < kLanes; ++l) halved[l] += before[l ^ distance];
    }
    norm_with(shifted, down);
    norm_with(halved, one_short);
  }
  mistakes.push_back({"each lane uses the sum of its own columns alone", own});
  mistakes.push_back({"only lane 0 holds the sum of all lanes", down});
  mistakes.push_back({"the lanes add up in four steps instead of five", one_short});
  return mistakes;
}

std::vector<Mistake> rope_mistakes(const Matrix& x, const std::vector<int>& position, int head_dim,
                                   const RopeParameters& parameters) {
  const Index D = head_dim;
  const double base = parameters.base, scale = parameters.position_scale;
  const auto position_of = [&](Index t) { return position[t] / scale; };
  // angle(t, c, i): of the pair that column c begins, which is number i (even) of its head
  const auto turned = [&](const std::function<double(Index, Index, Index)>& angle, bool is_half_split = false) {
    RowMajorXd out = x.cast<double>();
    for (Index t = 0; t < x.rows(); ++t) {
      for (Index c = 0; c < x.cols(); c += 2) {
        const Index i = c % D, head = c - i;
        const Index first = is_half_split ? head + i / 2 : c, second = is_half_split ? first + D / 2 : c + 1;
        const double a = x(t, first), b = x(t, second), phi = angle(t, c, i);
        out(t, first) = a * std::cos(phi) - b * std::sin(phi);
        out(t, second) = a * std::sin(phi) + b * std::cos(phi);
      }
    }
    return out;
  };
  const auto slowness = [&](double i) { return std::pow(base, -i / double(D)); };
  const auto right = [&](Index t, Index, Index i) { return position_of(t) * slowness(double(i)); };
  RowMajorXd overwritten = turned(right);
  for (Index t = 0; t < x.rows(); ++t) {
    for (Index c = 0; c < x.cols(); c += 2) {
      const double phi = right(t, c, c % D);
      overwritten(t, c + 1) = overwritten(t, c) * std::sin(phi) + x(t, c + 1) * std::cos(phi);
    }
  }
  return {
      {"the pairs are the two halves of a head, not neighbours", turned(right, true)},
      {"the pairs turn the other way", turned([&](Index t, Index c, Index i) { return -right(t, c, i); })},
      {"the exponent is twice as large as it should be: 2i / head_dim, where i counts pairs",
       turned([&](Index t, Index, Index i) { return position_of(t) * slowness(2.0 * double(i)); })},
      {"the exponent is half of what it should be: 2i / head_dim, where i counts pairs",
       turned([&](Index t, Index, Index i) { return position_of(t) * slowness(double(i) / 2); })},
      {"the place in the row decides the angle, not the place in the head",
       turned([&](Index t, Index c, Index) { return position_of(t) * slowness(double(c)); })},
      {"all pairs turn by the angle of the first", turned([&](Index t, Index, Index) { return position_of(t); })},
      {"the number of the row is taken for its position",
       turned([&](Index t, Index, Index i) { return double(t) / scale * slowness(double(i)); })},
      {"position_scale is ignored", turned([&](Index t, Index, Index i) { return position[t] * slowness(double(i)); })},
      {"positions are multiplied by position_scale",
       turned([&](Index t, Index, Index i) { return position[t] * scale * slowness(double(i)); })},
      {"the base is always 10000",
       turned([&](Index t, Index, Index i) { return position_of(t) * std::pow(10000.0, -double(i) / double(D)); })},
      {"only the first head is turned",
       turned([&](Index t, Index c, Index i) { return c < D ? right(t, c, i) : 0.0; })},
      {"the new first number of a pair is used for its second", overwritten},
      {"nothing is turned", x.cast<double>()},
      {"the angle is rounded to a float (the errors are that small)", turned(right), 3e-3},
  };
}

std::vector<Mistake> linear_mistakes(const Matrix& w, const Matrix& x, double before) {
  const RowMajorXd W = w.cast<double>(), X = x.cast<double>();
  const Index I = w.cols();
  const RowMajorXd right = X * W.transpose();
  RowMajorXd first_row = right;
  for (Index t = 0; t < x.rows(); ++t) first_row.row(t) = right.row(0);
  std::vector<Mistake> mistakes = {
      {"the product is added to what out held before", (right.array() + before).matrix()},
      {"every row of out is computed from row 0 of x", first_row},
      {"the last input is left out", X.leftCols(I - 1) * W.leftCols(I - 1).transpose()},
      {"the first input is left out", X.rightCols(I - 1) * W.rightCols(I - 1).transpose()},
  };
  if (w.rows() == w.cols()) mistakes.push_back({"W is not transposed", X * W});
  return mistakes;
}

std::vector<Mistake> swiglu_mistakes(const Matrix& gate, const Matrix& up) {
  const auto each = [&](const std::function<double(double, double)>& f) {
    RowMajorXd out(gate.rows(), gate.cols());
    for (Index i = 0; i < gate.size(); ++i) out.data()[i] = f(gate.data()[i], up.data()[i]);
    return out;
  };
  const auto silu = [](double z) { return z / (1 + std::exp(-z)); };
  return {
      {"up goes through silu instead of the gate", each([&](double g, double u) { return g * silu(u); })},
      {"the gate goes through the sigmoid alone, 1 / (1 + exp(-z))",
       each([&](double g, double u) { return 1 / (1 + std::exp(-g)) * u; })},
      {"silu is computed with exp(z) instead of exp(-z)",
       each([&](double g, double u) { return g / (1 + std::exp(g)) * u; })},
      {"silu is forgotten", each([&](double g, double u) { return g * u; })},
      {"up is forgotten", each([&](double g, double) { return silu(g); })},
  };
}

std::vector<Mistake> attention_mistakes(const Config& config, const Matrix& q, const Matrix& k, const Matrix& v) {
  const int T = int(q.rows()), D = config.head_dim;
  const int group = config.n_heads / config.n_kv_heads;
  using Sees = std::function<bool(int, int)>;
  const auto attention = [&](double scale, const Sees& sees, const std::function<int(int)>& kv_head) {
    RowMajorXd out = RowMajorXd::Zero(T, q.cols());
    for (int h = 0; h < config.n_heads; ++h) {
      const int q_start = h * D, kv_start = kv_head(h) * D;
      for (int t = 0; t < T; ++t) {
        std::vector<double> score(T, -INFINITY);
        double largest = -INFINITY, total = 0;
        for (int s = 0; s < T; ++s) {
          if (!sees(t, s)) continue;
          double dot = 0;
          for (int d = 0; d < D; ++d) dot += double(q(t, q_start + d)) * k(s, kv_start + d);
          largest = std::max(largest, score[s] = dot * scale);
        }
        for (int s = 0; s < T; ++s) {
          if (!sees(t, s)) continue;
          const double weight = std::exp(score[s] - largest);
          total += weight;
          for (int d = 0; d < D; ++d) out(t, q_start + d) += weight * v(s, kv_start + d);
        }
        for (int d = 0; d < D; ++d) out(t, q_start + d) /= total;  // NaN for a row that sees nothing
      }
    }
    return out;
  };
  const double scale = 1 / std::sqrt(double(D));
  const Sees causal = [](int t, int s) { return s <= t; };
  const auto grouped = [&](int h) { return h / group; };
  return {
      {"the scores are not divided by sqrt(head_dim)", attention(1, causal, grouped)},
      {"the scores are divided by head_dim instead of its root", attention(1.0 / D, causal, grouped)},
      {"every row sees every row: there is no mask", attention(
                                                         scale, [](int, int) { return true; }, grouped)},
      {"a row sees the one behind it too", attention(
                                               scale, [](int t, int s) { return s <= t + 1; }, grouped)},
      {"a row does not see itself", attention(
                                        scale, [](int t, int s) { return s < t; }, grouped)},
      {"a row sees the later rows instead of the earlier", attention(
                                                               scale, [](int t, int s) { return s >= t; }, grouped)},
      {"head h reads key/value head h % n_kv_heads instead of h / (n_heads / n_kv_heads)",
       attention(scale, causal, [&](int h) { return h % config.n_kv_heads; })},
      {"every head reads key/value head 0", attention(scale, causal, [](int) { return 0; })},
      {"the values are not weighted: each row is the mean of those it sees", attention(0, causal, grouped)},
  };
}

}  // namespace waitless
