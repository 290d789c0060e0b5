#include "tools/failure_text.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>
#include <vector>

#include <nearfork/error.hpp>

namespace nearfork::tools {
namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(command_line, is_shown_as_a_shell_would_take_it) {
  const std::vector<const char*> words{"/usr/bin/nearfork", "sim", "heat", "--machine",
                                       "package:2 pu:1",    "",    "-o",   "a\nb"};
  EXPECT_EQ(command_line_text(static_cast<int>(words.size()), words.data()),
            "nearfork sim heat --machine \"package:2 pu:1\" \"\" -o \"a?b\"");
}

TEST(command_line, is_cut_where_it_is_long) {
  const std::string word(1000, 'x');
  const std::vector<const char*> words(100, word.c_str());
  EXPECT_LT(command_line_text(static_cast<int>(words.size()), words.data()).size(), 600U);
}

TEST(failure, of_ours_stays_as_it_is) {
  EXPECT_EQ(failure_text(error("nearfork: no; do this"), "nearfork sim"), "nearfork: no; do this");
}

TEST(failure, of_libraries_names_the_command_and_a_remedy_in_our_words) {
  const std::string line = "nearfork sim big.nfg";
  const std::string memory = failure_text(std::bad_alloc(), line);
  EXPECT_TRUE(holds(memory, "no memory is left in: nearfork sim big.nfg")) << memory;
  EXPECT_TRUE(holds(memory, "ulimit -v")) << memory;
  EXPECT_FALSE(holds(memory, "std::")) << memory;
  EXPECT_TRUE(holds(failure_text(std::length_error("vector::_M_default_append"), line), "no memory is left"));

  const auto refused = std::make_error_code(std::errc::permission_denied);
  const std::string path = failure_text(std::filesystem::filesystem_error("cannot stat", "/some/file", refused), line);
  EXPECT_TRUE(holds(path, "\"/some/file\": Permission denied (errno 13) in: " + line)) << path;
  EXPECT_FALSE(holds(path, "filesystem error")) << path;

  const std::string system = failure_text(std::system_error(EAGAIN, std::generic_category(), "thread"), line);
  EXPECT_TRUE(holds(system, "Resource temporarily unavailable (errno 11)")) << system;
  EXPECT_TRUE(holds(system, "ulimit")) << system;

  const std::string other = failure_text(std::out_of_range("map::at"), line);
  EXPECT_TRUE(holds(other, "nearfork's own (map::at) in: " + line)) << other;
}

}  // namespace
}  // namespace nearfork::tools
