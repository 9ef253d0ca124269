#pragma once

#include <Eigen/Core>

// The innermost parts of Eigen's product of matrices take a second to compile in each file that has a product. For
// floats they are compiled once, in matrix_product.cpp. They are internal to Eigen 3.4; with another version each file
// has its own again.
#if EIGEN_WORLD_VERSION == 3 && EIGEN_MAJOR_VERSION == 4 && EIGEN_MINOR_VERSION < 90
#define WAITLESS_COMPILES_PRODUCT_ONCE

namespace Eigen::internal {

using Floats = gebp_traits<float, float>;
using FloatsByRow = const_blas_data_mapper<float, Index, RowMajor>;
using FloatsByColumn = const_blas_data_mapper<float, Index, ColMajor>;

extern template struct gebp_kernel<float, float, Index, blas_data_mapper<float, Index, ColMajor>, Floats::mr,
                                   Floats::nr, false, false>;
extern template struct general_matrix_vector_product<Index, float, FloatsByRow, RowMajor, false, float, FloatsByColumn,
                                                     false>;
extern template struct general_matrix_vector_product<Index, float, FloatsByColumn, ColMajor, false, float, FloatsByRow,
                                                     false>;

}  // namespace Eigen::internal

#endif
