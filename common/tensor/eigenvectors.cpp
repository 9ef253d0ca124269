#include "common/tensor/eigenvectors.h"

#include <Eigen/Eigenvalues>

namespace waitless {

Eigenvectors eigenvectors(const Eigen::MatrixXd& symmetric) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(symmetric);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

}  // namespace waitless
