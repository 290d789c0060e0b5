#include "tools/graph_files/graph_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>

#include <nearfork/error.hpp>

namespace nearfork::tools {

using workloads::edge;
using workloads::edge_list;

namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::uint64_t enough_memory = 1 << 20;

edge_list graph_in(std::string_view text, std::uint64_t memory_bytes = enough_memory) {
  return read_graph(text_in_memory(text), "g", memory_bytes);
}

/// The message that refuses the text; empty if it is accepted.
std::string refusal_of(std::string_view text, std::uint64_t memory_bytes = enough_memory) {
  try {
    (void)graph_in(text, memory_bytes);
    return {};
  } catch (const error& refused) {
    return refused.what();
  }
}

TEST(edge_lines, are_two_ids_each_with_comments_and_any_blanks) {
  const edge_list made = graph_in("# Directed graph\n% also one\n\n0 1\n1\t2\r\n  2   0  \n0 1");
  EXPECT_EQ(made.nodes, 3U);
  EXPECT_FALSE(made.undirected);
  EXPECT_EQ(made.origin, "g");
  EXPECT_THAT(made.edges, ElementsAre(edge{0, 1}, edge{1, 2}, edge{2, 0}, edge{0, 1}));
}

TEST(edge_lines, number_the_ids_that_occur_in_their_order) {
  const edge_list made = graph_in("4294967294 7\n70000 7\n65536 65535\n");
  EXPECT_EQ(made.nodes, 5U);
  EXPECT_THAT(made.edges, ElementsAre(edge{4, 0}, edge{3, 0}, edge{2, 1}));
}

TEST(matrix_market, is_read_as_an_adjacency_matrix) {
  const edge_list made =
      graph_in("%%MatrixMarket matrix coordinate pattern general\n% comment\n\n4 4 3\n1 2\n4 4\n% more\n2 1\n");
  EXPECT_EQ(made.nodes, 4U);
  EXPECT_FALSE(made.undirected);
  EXPECT_THAT(made.edges, ElementsAre(edge{0, 1}, edge{3, 3}, edge{1, 0}));
}

TEST(matrix_market, may_have_values_and_be_symmetric_and_have_large_letters) {
  const edge_list made =
      graph_in("%%MatrixMarket MATRIX Coordinate Real Symmetric\n3 3 3\n2 1 -1.5e+3\n3 3 0\n3 2 .5\n");
  EXPECT_TRUE(made.undirected);
  EXPECT_THAT(made.edges, ElementsAre(edge{1, 0}, edge{2, 2}, edge{2, 1}));
  EXPECT_THAT(graph_in("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 99999999999999999999\n").edges,
              ElementsAre(edge{0, 0}));
  EXPECT_THAT(graph_in("%%MatrixMarket matrix coordinate pattern general\n7 7 0\n").nodes, 7U);
}

TEST(graph_texts, that_are_wrong_are_refused_with_the_line_and_the_cause) {
  const std::string matrix = "%%MatrixMarket matrix coordinate pattern general\n";
  const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
  const struct {
    std::string text;
    const char* where;
    const char* why;
  } all[] = {
      {"", "g:", "it has no edges"},
      {"# nothing\n", "g:", "it has no edges"},
      {"0 1\n2\n", "line 2:", "a single word"},
      {"0 1 5\n", "line 1:", "nothing more"},
      {"0 1\n\n0 -3\n", "line 3:", "\"-3\" is negative"},
      {"0 x\n", "line 1:", "\"x\" is no whole number"},
      {"0 1.5\n", "line 1:", "no whole number"},
      {"0 0x10\n", "line 1:", "no whole number"},
      {"0 +1\n", "line 1:", "no whole number"},
      {"0 99999999999999999999999\n", "line 1:", "no number of 64 bits"},
      {"0 007\n", "line 1:", "leading zeros"},
      {"0 4294967295\n", "line 1:", "ids are at most 4294967294"},
      {std::string("0 1\n0\0 1\n", 9), "line 2:", "NUL byte"},
      {"\x1f\x8b\x08 1\n", "g:", "unpack it first"},
      {"0 1\n" + std::string(70'000, '7') + "\n", "line 2:", "longer than 65536 bytes"},
      {"%%MatrixMarket matrix coordinate pattern\n", "line 1:", "five words"},
      {"%%MatrixMarketing matrix coordinate pattern general\n", "line 1:", "cannot be a graph"},
      {"%%MatrixMarket matrix array real general\n", "line 1:", "read are"},
      {"%%MatrixMarket matrix coordinate complex general\n", "line 1:", "read are"},
      {"%%MatrixMarket matrix coordinate real skew-symmetric\n", "line 1:", "read are"},
      {matrix, "g:", "truncated"},
      {matrix + "% comment\n", "g:", "ends before the line"},
      {matrix + "3 3\n", "line 2:", "rows columns entries"},
      {matrix + "3 4 1\n1 1\n", "line 2:", "3 rows and 4 columns"},
      {matrix + "0 0 0\n", "line 2:", "is empty"},
      {matrix + "3 3 -1\n", "line 2:", "negative"},
      {matrix + "4294967296 4294967296 1\n", "line 2:", "at most 4294967295 nodes"},
      {matrix + "4000000000 4000000000 1\n", "line 2:", "4000000000 nodes take"},
      {matrix + "9 9 1000000000000\n", "line 2:", "1000000000000 edges take 24 bytes"},
      {matrix + "9 9 18446744073709551616\n", "line 2:", "no number of 64 bits"},
      {matrix + "3 3 2\n1 1\n", "g:", "ends after 1 of 2 entries"},
      {matrix + "3 3 1\n1 1\n1 2\n", "line 4:", "more entries than the 1"},
      {matrix + "3 3 1\n0 1\n", "line 3:", "row 0 does not exist"},
      {matrix + "3 3 1\n1 4\n", "line 3:", "column 4 does not exist"},
      {matrix + "3 3 1\n1 2 3\n", "line 3:", "\"row column\""},
      {symmetric + "3 3 1\n2 1\n", "line 3:", "\"row column value\""},
      {symmetric + "3 3 1\n2 1 much\n", "line 3:", "is no number"},
      {symmetric + "3 3 1\n1 2 1\n", "line 3:", "above the diagonal"},
  };
  for (const auto& one : all)
    EXPECT_THAT(refusal_of(one.text), AllOf(StartsWith("nearfork: graph g"), HasSubstr(one.where), HasSubstr(one.why)))
        << one.text.substr(0, 100);
}

TEST(graph_texts, may_take_no_more_memory_than_there_is) {
  EXPECT_EQ(refusal_of("0 1\n0 1\n", 2 * bytes_of_read_edge), "");
  EXPECT_THAT(refusal_of("0 1\n0 1\n0 1\n", 2 * bytes_of_read_edge), HasSubstr("line 3: 3 edges take"));
}

/// Pieces end anywhere in a line.
RC_GTEST_PROP(graph_texts, read_the_same_in_any_pieces, (std::uint16_t lines, std::uint8_t piece)) {
  std::string text = "# a comment\r\n";
  for (unsigned i = 0; i < lines % 300U; ++i) text += std::to_string(i * 7 % 50) + " " + std::to_string(i) + "\n";
  text += "1 2";
  std::string_view rest = text;
  const auto in_pieces = [&](std::span<char> into) {
    const std::size_t count = std::min({rest.size(), into.size(), std::size_t{1} + piece});
    std::copy_n(rest.data(), count, into.data());
    rest.remove_prefix(count);
    return count;
  };
  const edge_list one = read_graph(in_pieces, "g", enough_memory);
  const edge_list other = graph_in(text);
  RC_ASSERT(one.edges == other.edges);
  RC_ASSERT(one.edges.size() == lines % 300U + 1);
}

TEST(graph_texts, may_be_longer_than_what_is_read_at_once) {
  std::string text;
  for (unsigned i = 0; i < 300'000; ++i) text += std::to_string(i) + " " + std::to_string(i + 1) + "\n";
  const edge_list made = graph_in(text, std::uint64_t{1} << 30);
  ASSERT_EQ(made.edges.size(), 300'000U);
  EXPECT_EQ(made.nodes, 300'001U);
  for (workloads::node_number i = 0; i < 300'000; ++i) ASSERT_EQ(made.edges[i], (edge{i, i + 1}));
}

std::string refusal_of_file(const std::string& path) {
  try {
    (void)read_graph_file(path, enough_memory);
    return {};
  } catch (const error& refused) {
    return refused.what();
  }
}

class graph_files : public testing::Test {
 protected:
  graph_files() : path_(testing::TempDir() + "/graph_file_test." + std::to_string(::getpid())) {
    std::ofstream(path_) << "0 1\n1 2\n";
  }
  ~graph_files() override { (void)std::remove(path_.c_str()); }
  std::string path_;
};

TEST_F(graph_files, are_read_by_their_paths) {
  const auto made = read_graph_file(path_, enough_memory);
  EXPECT_EQ(made->edges.size(), 2U);
  EXPECT_EQ(graph_text(*made), "graph " + path_ + " (3 nodes, 2 edges)");
}

TEST_F(graph_files, that_cannot_be_read_are_refused_with_the_cause) {
  EXPECT_THAT(refusal_of_file(path_ + ".absent"), AllOf(HasSubstr("No such file"), HasSubstr("check the path")));
  EXPECT_THAT(refusal_of_file(testing::TempDir()), AllOf(HasSubstr("directory"), HasSubstr("name a file in it")));
  ASSERT_EQ(::chmod(path_.c_str(), 0), 0);
  if (::access(path_.c_str(), R_OK) == 0) GTEST_SKIP() << "this user may read every file";
  EXPECT_THAT(refusal_of_file(path_), AllOf(HasSubstr("Permission denied"), HasSubstr("chmod u+r")));
}

}  // namespace
}  // namespace nearfork::tools
