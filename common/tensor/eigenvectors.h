#pragma once

#include <Eigen/Core>

namespace waitless {

struct Eigenvectors {
  Eigen::VectorXd values;   // [n], in rising order
  Eigen::MatrixXd vectors;  // [n, n], one in each column, of length 1, in the order of their values
};

/// Eigenvectors of a symmetric matrix [n, n], of which the lower triangle is read.
Eigenvectors eigenvectors(const Eigen::MatrixXd& symmetric);

}  // namespace waitless
