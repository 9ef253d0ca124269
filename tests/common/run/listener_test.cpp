// Guards common/run/listener: whose text appears when, and what is noted of it.
#include "common/run/listener.h"

#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <vector>

#include "common/run/interrupt.h"
#include "common/testing/gguf_writer.h"

namespace waitless {
namespace {

constexpr int kControl = 0, kA = 1 + 'a', kB = 1 + 'b';

/// A session of these prompts and a tokenizer of one control token and the 256 bytes.
Session session_of(const std::vector<std::string>& texts) {
  GgufWriter writer;
  add_tokenizer(writer, {"<|endoftext|>"}, {});
  Session session;
  session.tokenizer = Tokenizer::from_gguf(parse_gguf(writer.bytes()));
  for (const std::string& text : texts) session.prompts.push_back({text, session.tokenizer.encode_prompt(text)});
  return session;
}

/// What `action` prints through a listener.
template <class Action>
std::string printed(const Session& session, const Action& action) {
  testing::internal::CaptureStdout();
  Listener listener(session);
  action(listener);
  return testing::internal::GetCapturedStdout();
}

// Guards one prompt.
TEST(Listener, ShowsThePromptAndWhatFollows) {
  EXPECT_EQ(printed(session_of({"It was"}),
                    [](Listener& listener) {
                      listener.begin(0);
                      const ShowToken show = listener.show(0);
                      EXPECT_TRUE(show(kA, " a"));
                      EXPECT_TRUE(show(-1, "!"));
                      listener.end();
                      EXPECT_EQ(listener.logs()[0].tokens, std::vector{kA}) << "text without a token";
                      EXPECT_EQ(listener.logs()[0].events.size(), 1u);
                    }),
            "It was a!\n");
}

// Guards several prompts at a time.
TEST(Listener, ShowsTextsOneAfterAnotherWhole) {
  // Oracle: by hand. The second request gets its tokens first, and ends before the first does.
  EXPECT_EQ(printed(session_of({"X", "Y", "Z"}),
                    [](Listener& listener) {
                      for (const int request : {0, 1, 2}) listener.begin(request);
                      listener.tokens(1, std::vector{kA, kB}, "ab");
                      listener.tokens(0, std::vector{kA}, "a");
                      listener.end(1);
                      listener.tokens(2, std::vector{kB}, "b");
                      listener.tokens(0, std::vector{kB}, "b");
                      listener.end();
                      EXPECT_EQ(listener.logs()[1].events.at(0).n_tokens, 2);
                      EXPECT_LE(listener.logs()[1].start, listener.logs()[1].events[0].time);
                    }),
            "Xab\nYab\nZb\n");
}

// Guards requests that never come.
TEST(Listener, PassesOverPromptsThatNeverBegan) {
  EXPECT_EQ(printed(session_of({"X", "Y", "Z"}),
                    [](Listener& listener) {
                      listener.begin(2);
                      listener.tokens(2, std::vector{kA}, "a");
                      listener.end();
                    }),
            "Za\n");
}

// Guards control tokens that a model emits in the middle of a text.
TEST(Listener, DoesNotShowWhatAControlTokenIsCalled) {
  EXPECT_EQ(printed(session_of({"X"}),
                    [](Listener& listener) {
                      listener.begin(0);
                      listener.show(0)(kControl, "<|endoftext|>");
                      listener.show(0)(kA, "a");
                      listener.end();
                      EXPECT_EQ(listener.logs()[0].tokens, (std::vector{kControl, kA}));
                    }),
            "Xa\n");
}

// Guards the end of a generation from outside.
TEST(Listener, SaysToStopAfterCtrlC) {
  const Session session = session_of({"X"});
  const CatchInterrupt catch_interrupt;
  Listener listener(session, nullptr);
  listener.begin(0);
  EXPECT_TRUE(listener.tokens(0, std::vector{kA}, "a"));
  std::raise(SIGINT);
  EXPECT_FALSE(listener.tokens(0, std::vector{kA}, "a"));
}

// Guards the end of a generation from outside.
TEST(Listener, SaysToStopAtItsLimit) {
  const Session session = session_of({"X"});
  Listener listener(session, nullptr, 3);
  listener.begin(0);
  EXPECT_TRUE(listener.tokens(0, std::vector{kA, kB}, "ab"));
  EXPECT_FALSE(listener.tokens(0, std::vector{kA}, "a"));
}

}  // namespace
}  // namespace waitless
