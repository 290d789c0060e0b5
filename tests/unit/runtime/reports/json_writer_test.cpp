#include "runtime/reports/json_writer.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <string>

#include <nlohmann/json.hpp>

namespace nearfork {
namespace {

using nlohmann::json;

std::string one_member(std::string_view name, std::string_view value) {
  json_writer out;
  out.begin_object();
  out.member(name, value);
  out.end();
  return out.text();
}

TEST(json_writer, writes_an_empty_object) {
  json_writer out;
  out.begin_object();
  out.end();
  EXPECT_EQ(out.text(), "{}");
}

TEST(json_writer, nests_with_commas_and_indentation) {
  json_writer out;
  out.begin_object();
  out.member("a", std::uint64_t{1});
  out.begin_array("list");
  out.begin_object();
  out.null_member("n");
  out.end();
  out.begin_object();
  out.end();
  out.end();
  out.member("s", "t");
  out.end();
  EXPECT_EQ(out.text(), R"({
  "a": 1,
  "list": [
    {
      "n": null
    },
    {}
  ],
  "s": "t"
})");
  EXPECT_TRUE(json::accept(out.text()));
}

TEST(json_writer, knows_truth_from_numbers) {
  json_writer out;
  out.begin_object();
  out.member("yes", true);
  out.member("no", false);
  out.end();
  EXPECT_EQ(json::parse(out.text()), json({{"yes", true}, {"no", false}}));
}

TEST(json_writer, keeps_the_largest_number) {
  json_writer out;
  out.begin_object();
  out.member("n", std::numeric_limits<std::uint64_t>::max());
  out.end();
  EXPECT_EQ(json::parse(out.text())["n"].get<std::uint64_t>(), std::numeric_limits<std::uint64_t>::max());
}

TEST(json_writer, escapes_quotes_controls_and_keeps_utf8) {
  const std::string text =
      std::string("q\" b\\ n\n t\t z") + '\0' + "\x01\x1f\x7f caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80";
  EXPECT_EQ(json::parse(one_member("k", text))["k"].get<std::string>(), text);
}

TEST(json_writer, escapes_names_too) {
  EXPECT_EQ(json::parse(one_member("a\"\n", "v"))["a\"\n"], "v");
}

// Truncated, overlong, surrogate, beyond Unicode, lone continuation.
TEST(json_writer, replaces_what_is_not_utf8) {
  const std::string replaced = "\xef\xbf\xbd";
  for (const std::string bad :
       {"\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x80", "\xff", "\xe2\x82", "\xf0\x80\x80\x80"}) {
    const auto read = json::parse(one_member("k", "<" + bad + ">"))["k"].get<std::string>();
    EXPECT_TRUE(read.starts_with("<" + replaced) && read.ends_with(replaced + ">")) << read;
  }
}

RC_GTEST_PROP(json_writer, writes_json_for_any_bytes, ()) {
  const auto bytes = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
  const auto read = json::parse(one_member("k", bytes))["k"].get<std::string>();
  RC_ASSERT(read.find("\xef\xbf\xbd") != std::string::npos || read == bytes);
}

}  // namespace
}  // namespace nearfork
