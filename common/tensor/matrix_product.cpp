#include "common/tensor/matrix_product.h"

#if defined(WAITLESS_COMPILES_PRODUCT_ONCE)
namespace Eigen::internal {

template struct gebp_kernel<float, float, Index, blas_data_mapper<float, Index, ColMajor>, Floats::mr, Floats::nr,
                            false, false>;
template struct general_matrix_vector_product<Index, float, FloatsByRow, RowMajor, false, float, FloatsByColumn, false>;
template struct general_matrix_vector_product<Index, float, FloatsByColumn, ColMajor, false, float, FloatsByRow, false>;

}  // namespace Eigen::internal
#endif
