#pragma once

#include <string>
#include <vector>

#include "common/model/model.h"
#include "common/tokenizer/tokenizer.h"

namespace waitless {

/// A model that an option of a program names, and its tokenizer. Both are empty until load_models().
struct NamedModel {
  std::string name;       // as find_model() takes it; "": no model
  LoadOptions load = {};  // how its file is read, and what becomes of its matrices
  Model model = {};
  Tokenizer tokenizer = {};
};

/// Loads each model that has a name.
/// @throws InputError naming the model if it is not there, is broken, or does not fit into memory
void load_models(const std::vector<NamedModel*>& models);

}  // namespace waitless
