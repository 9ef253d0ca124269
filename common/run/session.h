#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/model/find_model.h"
#include "common/model/generate_options.h"
#include "common/run/named_model.h"
#include "common/run/options.h"

namespace waitless {

/// A text to continue, or a message to answer.
struct Prompt {
  std::string text = {};         // shown before what follows it; empty for a message
  std::vector<int> tokens = {};  // at least one
};

/// What a program that generates text is given: the model loaded and the prompts tokenized. A copy shares the weights.
struct Session {
  Model model = {};
  Tokenizer tokenizer = {};
  std::vector<Prompt> prompts = {};  // at least one
  GenerateOptions options = {};
  bool cuda = false;  // on the device: a GPU, or simt
};

/// The part of a command line that describes a session: --model, --prompt, --chat, --temperature and their like.
struct SessionOptions {
  NamedModel model{.name = kDefaultModel};
  std::optional<std::string> plain_prompt;  // an argument without a name
  std::vector<std::string> prompts;
  std::string prompts_file;
  std::optional<std::string> chat, system;
  GenerateOptions options;

  void add_to(ProgramOptions& program);

  /// The texts to continue, one or more; none for a chat.
  /// @throws InputError if one is empty or no UTF-8, if the file of prompts cannot be read, or if options contradict
  ///         each other
  std::vector<std::string> texts() const;

  /// The session, whose model must be loaded; it moves there.
  /// @throws InputError as texts(), or if the model cannot chat
  Session open();
};

}  // namespace waitless
