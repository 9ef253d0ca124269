#pragma once

#include <vector>

#include "common/model/config.h"
#include "common/testing/mistakes.h"

namespace waitless {

// What the operators of this chapter give if they are written with a mistake that is often made, for matches(). In
// double precision, with plain loops.

std::vector<Mistake> rms_norm_mistakes(const Matrix& x, const Matrix& gain, double eps);

/// The same, and what comes out if the lanes of a warp do not all hold the sum of all.
std::vector<Mistake> rms_norm_warp_mistakes(const Matrix& x, const Matrix& gain, double eps);

std::vector<Mistake> rope_mistakes(const Matrix& x, const std::vector<int>& position, int head_dim,
                                   const RopeParameters& parameters);

/// @param before what `out` held before the call
std::vector<Mistake> linear_mistakes(const Matrix& w, const Matrix& x, double before);

std::vector<Mistake> swiglu_mistakes(const Matrix& gate, const Matrix& up);

/// For the rows of one causal sequence.
std::vector<Mistake> attention_mistakes(const Config& config, const Matrix& q, const Matrix& k, const Matrix& v);

}  // namespace waitless
