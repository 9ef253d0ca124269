#include "common/model/weight_format.h"

namespace waitless {

std::span<const WeightFormat* const> file_formats() {
  static constexpr const WeightFormat* kAll[] = {&kF32Format,  &kF16Format,  &kBF16Format,
                                                 &kQ8_0Format, &kQ4_0Format, &kQ4_1Format};
  return kAll;
}

const WeightFormat* find_format(WeightType type) {
  for (const WeightFormat* format : file_formats()) {
    if (format->type == type) return format;
  }
  return nullptr;
}

}  // namespace waitless
