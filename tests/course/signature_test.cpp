#include "common/course/signature.h"

#include <gtest/gtest.h>

#include "common/course/text.h"

namespace waitless::course {
namespace {

std::string parameters_of(const std::string& source) {
  const auto function = enclosing_function(source);
  return function ? join(function->parameters, ", ") : "no function";
}

// Guards the generator of starters: a starter must name every parameter, or it does not compile with -Werror.
TEST(Signature, NamesPlainParameters) {
  EXPECT_EQ(parameters_of("int f(int a, const float* b, Row& c) {\n"), "a, b, c");
}

TEST(Signature, ReadsASignatureOfSeveralLines) {
  EXPECT_EQ(
      parameters_of("namespace n {\n\nvoid\nf(const Matrix& x,  // [T, D]\n  /* scale, */ float y) const noexcept {\n"),
      "x, y");
}

TEST(Signature, LeavesDefaultArgumentsOut) {
  EXPECT_EQ(parameters_of("void f(int a = g(1, 2), std::string b = \"x, y\", Pair c = {1, 2}, bool d = true) {"),
            "a, b, c, d");
}

TEST(Signature, ReadsTemplatesAndFunctionTypes) {
  EXPECT_EQ(parameters_of(
                "template <class T, int N = 3>\nstd::map<int, T> f(const std::function<void(int step, float)>& stop,\n"
                "std::span<const std::pair<T, int>> items, std::array<T, N>&& rest) {"),
            "stop, items, rest");
}

TEST(Signature, LeavesUnnamedParametersOut) {
  EXPECT_EQ(parameters_of("void f(int, const Foo&, std::size_t, unsigned, const Bar, T*, Baz, int named) {"), "named");
}

TEST(Signature, LeavesParametersWhoseNameIsACommentOut) { EXPECT_EQ(parameters_of("void f(int /*n*/, int m) {"), "m"); }

TEST(Signature, ReadsPacksArraysAndFunctionPointers) {
  EXPECT_EQ(parameters_of(
                "template <class... A> void f(A&&... args, int sizes[4], float (*activation)(float), int (&r)[2]) {"),
            "args..., sizes, activation, r");
}

TEST(Signature, ReadsKernels) {
  EXPECT_EQ(parameters_of("template <class T>\n__global__ void __launch_bounds__(256) row_kernel(const T* __restrict__ "
                          "x, float* __restrict__ y, int n) {"),
            "x, y, n");
}

TEST(Signature, ReadsConstructorsWithInitializers) {
  EXPECT_EQ(parameters_of("struct A { int z; };\nCache::Cache(int n, Size s) : sizes_{n, {1}}, data_(f(n)), s_{s} {"),
            "n, s");
}

TEST(Signature, ReadsOperatorsAndMembers) {
  EXPECT_EQ(parameters_of("struct F {\n public:\n  int operator()(int a, int b) const {"), "a, b");
  EXPECT_EQ(parameters_of("bool operator<(const A& a, const A& b) {"), "a, b");
  EXPECT_EQ(parameters_of("class F {\n  explicit F(int only) {"), "only");
}

TEST(Signature, ReadsAttributesAndTrailingReturnTypes) {
  EXPECT_EQ(parameters_of("[[nodiscard]] constexpr auto f(int a) -> std::vector<int> {"), "a");
}

TEST(Signature, HasNoParametersWhereThereAreNone) { EXPECT_EQ(parameters_of("int f() {"), ""); }

TEST(Signature, IsNotMisledByBracesInTextAndComments) {
  EXPECT_EQ(parameters_of("// if {\n#define X {\nconst char c = '{';\nconst char* s = \"}{\";\nauto r = R\"(}{)\";\n"
                          "void g(int z) { if (z) { h(); } }\nint big = 1'000'000;\nvoid f(int a) {"),
            "a");
}

TEST(Signature, FindsNoFunctionInOtherBraces) {
  EXPECT_EQ(parameters_of("namespace waitless {"), "no function");
  EXPECT_EQ(parameters_of("void f(int a) {\n  for (int i = 0; i < a; ++i) {"), "no function");
  EXPECT_EQ(parameters_of("void f(int a) {\n  auto g = [&](int b) {"), "no function");
  EXPECT_EQ(parameters_of("int x;"), "no function");
}

TEST(Signature, TellsWhereTheFunctionBegins) {
  const auto function = enclosing_function("int x;\n\n// doc\ntemplate <class T>\nint f(T a) {\n  // comment\n");
  ASSERT_TRUE(function);
  EXPECT_EQ(function->first_line, 4);
  EXPECT_TRUE(function->is_at_start);
  EXPECT_FALSE(enclosing_function("int f(int a) {\n  ++a;\n")->is_at_start);
}

}  // namespace
}  // namespace waitless::course
