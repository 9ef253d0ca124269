#pragma once

#include <span>
#include <vector>

#include "common/model/batch.h"
#include "common/model/model.h"

namespace waitless::oracle {

// An independent decoder in double precision, written with plain loops and none of the chapter's functions.

using MatrixXd = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

MatrixXd rms_norm(const MatrixXd& x, const MatrixXd& gain, double eps);
MatrixXd rope(const MatrixXd& x, const std::vector<int>& position, int head_dim, double base, double scale = 1);
MatrixXd attention(const Config& config, const MatrixXd& q, const MatrixXd& k, const MatrixXd& v, const Batch& batch);
MatrixXd swiglu(const MatrixXd& gate, const MatrixXd& up);

/// The weight's values, decoded.
MatrixXd values(const Weight& w);

/// Rows of the embedding.
MatrixXd embed(const Model& model, std::span<const int> tokens);

/// Layers first .. last - 1.
MatrixXd decode_layers(const Model& model, MatrixXd x, const Batch& batch, int first, int last);

/// Logits [R, vocab_size] of batch.logit_rows.
MatrixXd forward(const Model& model, std::span<const int> tokens, const Batch& batch);

}  // namespace waitless::oracle
