#include "common/course/signature.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <set>
#include <span>

namespace waitless::course {
namespace {

struct Token {
  std::string text;
  int line;
};
using Tokens = std::span<const Token>;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_identifier(const Token& token) {
  return is_word(token.text[0]) && !std::isdigit(static_cast<unsigned char>(token.text[0]));
}

/// Where the comment, literal or preprocessor line that begins at `i` ends; `i` itself if none begins there.
std::size_t skip_passive(std::string_view source, std::size_t i, bool at_line_start) {
  const auto until = [&](std::string_view end, std::size_t from) {
    const std::size_t found = source.find(end, from);
    return found == std::string_view::npos ? source.size() : found + end.size();
  };
  const std::string_view rest = source.substr(i);
  if (rest.starts_with("//")) return std::min(source.find('\n', i), source.size());
  if (rest.starts_with("/*")) return until("*/", i + 2);
  if (rest.starts_with("R\"") && (i == 0 || !is_word(source[i - 1]))) {
    const std::size_t open = std::min(source.find('(', i), source.size() - 1);
    return until(")" + std::string(source.substr(i + 2, open - i - 2)) + "\"", open);
  }
  if (rest[0] == '"' || rest[0] == '\'') {
    std::size_t end = i + 1;
    while (end < source.size() && source[end] != rest[0] && source[end] != '\n') end += source[end] == '\\' ? 2 : 1;
    return std::min(end + 1, source.size());
  }
  if (rest[0] == '#' && at_line_start) {
    std::size_t end = std::min(source.find('\n', i), source.size());
    while (end < source.size() && source[end - 1] == '\\') end = std::min(source.find('\n', end + 1), source.size());
    return end;
  }
  return i;
}

/// Words, numbers, "::", "->", "..." and single characters; literals become the token "literal".
std::vector<Token> tokenize(std::string_view source) {
  std::vector<Token> tokens;
  int line = 1;
  bool at_line_start = true;
  for (std::size_t i = 0; i < source.size();) {
    if (std::isspace(static_cast<unsigned char>(source[i]))) {
      if (source[i] == '\n') ++line, at_line_start = true;
      ++i;
      continue;
    }
    if (const std::size_t end = skip_passive(source, i, at_line_start); end != i) {
      if (source[i] == '"' || source[i] == '\'' || source[i] == 'R') tokens.push_back({"\"literal\"", line});
      line += int(std::count(source.begin() + long(i), source.begin() + long(end), '\n'));
      i = end;
      continue;
    }
    at_line_start = false;
    std::size_t size = 1;
    if (is_word(source[i])) {
      const bool is_number = std::isdigit(static_cast<unsigned char>(source[i]));
      while (i + size < source.size() && (is_word(source[i + size]) || (is_number && source[i + size] == '\''))) ++size;
    } else {
      for (const std::string_view symbol : {"...", "::", "->"}) {
        if (source.substr(i).starts_with(symbol)) size = symbol.size();
      }
    }
    tokens.push_back({std::string(source.substr(i, size)), line});
    i += size;
  }
  return tokens;
}

/// The nesting of (), [], {} and, since these are declarations, <> after `token`.
int nesting(int depth, const Token& token) {
  static const std::set<std::string> open = {"(", "[", "{", "<"}, close = {")", "]", "}", ">"};
  return depth + int(open.count(token.text)) - int(close.count(token.text));
}

/// Index of the token that closes the bracket at `open`.
std::size_t matching(Tokens tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    depth = nesting(depth, tokens[i]);
    if (depth == 0) return i;
  }
  return tokens.size();
}

/// The name that a parameter declares, or "".
std::string parameter_name(Tokens declaration) {
  static const std::set<std::string> not_names = {"const", "volatile", "int",      "float",    "double", "char",
                                                  "bool",  "long",     "short",    "unsigned", "void",   "signed",
                                                  "auto",  "wchar_t",  "typename", "struct"};
  static const std::set<std::string> not_types = {"const", "volatile", "typename", "struct", "class", "enum"};
  std::vector<Token> top;  // tokens outside brackets, without a default argument
  for (std::size_t i = 0; i < declaration.size() && declaration[i].text != "="; ++i) {
    const std::string& text = declaration[i].text;
    if (text == "(" && i + 1 < declaration.size() &&
        (declaration[i + 1].text == "*" || declaration[i + 1].text == "&")) {
      return i + 2 < declaration.size() && is_identifier(declaration[i + 2]) ? declaration[i + 2].text : "";
    }
    if (text == "(" || text == "[" || text == "{" || text == "<")
      i = matching(declaration, i);
    else
      top.push_back(declaration[i]);
  }
  if (top.empty() || !is_identifier(top.back()) || not_names.count(top.back().text)) return "";
  if (top.size() >= 2 && top[top.size() - 2].text == "::") return "";
  const bool has_type =
      std::any_of(top.begin(), top.end() - 1, [](const Token& t) { return !not_types.count(t.text); });
  if (!has_type) return "";
  const bool is_pack = std::any_of(top.begin(), top.end(), [](const Token& t) { return t.text == "..."; });
  return top.back().text + (is_pack ? "..." : "");
}

std::vector<std::string> parameter_names(Tokens list) {
  std::vector<std::string> names;
  std::size_t start = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    if (i < list.size()) depth = nesting(depth, list[i]);
    if (i < list.size() && (depth > 0 || list[i].text != ",")) continue;
    const std::string name = parameter_name(list.subspan(start, i - start));
    if (!name.empty()) names.push_back(name);
    start = i + 1;
  }
  return names;
}

/// The parameters of the function that `header`, the tokens before a brace, declares.
std::optional<Signature> function_of(Tokens header) {
  static const std::set<std::string> not_functions = {"if",  "for",       "while", "switch", "catch", "do",   "else",
                                                      "try", "namespace", "class", "struct", "union", "enum", "return"};
  static const std::set<std::string> takes_arguments = {"__launch_bounds__", "__attribute__", "alignas",  "decltype",
                                                        "noexcept",          "requires",      "explicit", "declspec"};
  if (header.size() >= 2 &&
      (header[0].text == "public" || header[0].text == "private" || header[0].text == "protected"))
    header = header.subspan(2);
  if (header.empty() || not_functions.count(header[0].text)) return {};
  for (std::size_t i = 0; i < header.size(); ++i) {
    const std::string& text = header[i].text;
    if (text == "=") return {};  // a variable, or a lambda in one
    const bool is_call_operator = text == "(" && i > 0 && header[i - 1].text == "operator";
    if (text == "(" && !is_call_operator) {
      const bool names_function =
          i > 0 && (is_identifier(header[i - 1]) || (i > 1 && header[i - 2].text == "operator") ||
                    (i > 2 && header[i - 3].text == "operator"));
      const std::size_t close = matching(header, i);
      if (close == header.size()) return {};
      if (names_function && !takes_arguments.count(header[i - 1].text))
        return Signature{parameter_names(header.subspan(i + 1, close - i - 1)), header[0].line};
      i = close;
    } else if (is_call_operator || text == "<" || text == "[") {
      if (i > 0 && header[i - 1].text == "operator" && !is_call_operator) continue;
      i = matching(header, i);
    }
  }
  return {};
}

}  // namespace

std::optional<Signature> enclosing_function(std::string_view source) {
  const std::vector<Token> tokens = tokenize(source);
  struct Brace {
    std::size_t header, open;
  };
  std::vector<Brace> braces;
  std::size_t header = 0;
  int parentheses = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string& text = tokens[i].text;
    if (text == "(") ++parentheses;
    if (text == ")") --parentheses;
    if (text == ";" && parentheses == 0) header = i + 1;
    if (text == "{") {
      braces.push_back({header, i});
      header = i + 1;
    }
    if (text == "}" && !braces.empty()) {
      // The braces of an initializer lie inside a declaration: `Cache::Cache(int n) : sizes_{n}, n_(n) {`.
      static const std::set<std::string> goes_on = {",", "{", "(", ")", ".", "[", "]"};
      const bool is_initializer = i + 1 < tokens.size() && goes_on.count(tokens[i + 1].text);
      header = is_initializer || parentheses > 0 ? braces.back().header : i + 1;
      braces.pop_back();
    }
  }
  if (braces.empty()) return {};
  const Brace& inner = braces.back();
  auto function = function_of(Tokens(tokens).subspan(inner.header, inner.open - inner.header));
  if (function) function->is_at_start = inner.open + 1 == tokens.size();
  return function;
}

bool closes_brace(std::string_view rest) {
  const std::vector<Token> tokens = tokenize(rest);
  return !tokens.empty() && tokens[0].text == "}";
}

}  // namespace waitless::course
