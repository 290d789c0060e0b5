#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/text/message_text.hpp"
#include "tools/graph_files/graph_lines.hpp"
#include "workloads/memory.hpp"

namespace nearfork::tools {
namespace {

constexpr std::string_view what_is_read =
    "read are \"%%MatrixMarket matrix coordinate\" with pattern, real or integer, and general or symmetric";

/// The format says that letters of the first line may be large or small.
std::string small_letters(std::string_view word) {
  std::string made(word);
  for (char& c : made)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return made;
}

/// Values of entries play no part, so only their form is checked.
bool looks_like_number(std::string_view word) {
  const bool has_digit = std::ranges::any_of(word, [](char c) { return c >= '0' && c <= '9'; });
  return has_digit && word.find_first_not_of("0123456789+-.eEdD") == word.npos;
}

class matrix_reader {
 public:
  matrix_reader(line_reader& from, std::uint64_t memory_bytes) : from_(from), memory_bytes_(memory_bytes) {}

  workloads::edge_list read() {
    read_first_line();
    read_size();
    read_entries();
    return std::move(made_);
  }

 private:
  void read_first_line() {
    const auto& words = from_.words(5);
    if (words.size() != 5) from_.refuse(fmt::format("the first line has not five words; {}", what_is_read));
    const std::string field = small_letters(words[3]);
    const std::string symmetry = small_letters(words[4]);
    const bool known = words[0] == "%%MatrixMarket" && small_letters(words[1]) == "matrix" &&
                       small_letters(words[2]) == "coordinate" &&
                       (field == "pattern" || field == "real" || field == "integer") &&
                       (symmetry == "general" || symmetry == "symmetric");
    if (!known)
      from_.refuse(fmt::format("{} {} {} {} cannot be a graph here; {}", quoted(words[1]), quoted(words[2]),
                               quoted(words[3]), quoted(words[4]), what_is_read));
    has_values_ = field != "pattern";
    made_.undirected = symmetry == "symmetric";
  }

  /// Goes to the next line with words. False at the end.
  bool next_words() {
    while (from_.next())
      if (!from_.line().starts_with('%') && !from_.words(3).empty()) return true;
    return false;
  }

  void read_size() {
    if (!next_words()) from_.refuse_file("it ends before the line \"rows columns entries\": it is truncated");
    const auto& words = from_.words(3);
    if (words.size() != 3) from_.refuse("the first line after the comments must be \"rows columns entries\"");
    const std::uint64_t rows = whole_number_in(from_, "the number of rows", words[0]);
    const std::uint64_t columns = whole_number_in(from_, "the number of columns", words[1]);
    entries_ = whole_number_in(from_, "the number of entries", words[2]);
    if (rows != columns)
      from_.refuse(
          fmt::format("the matrix has {} rows and {} columns; that of a graph has as many of both", rows, columns));
    if (rows == 0) from_.refuse("the matrix is empty; a graph has at least one node");
    if (rows > workloads::most_graph_nodes)
      from_.refuse(fmt::format("the matrix has {} rows, and a graph has at most {} nodes, whose numbers take 32 bits",
                               rows, workloads::most_graph_nodes));
    if (rows > memory_bytes_ / sizeof(std::uint64_t))
      from_.refuse(
          fmt::format("{} nodes take 8 bytes of memory each, and {} are free; use a smaller graph or a larger "
                      "machine",
                      rows, workloads::bytes_text(memory_bytes_)));
    check_edges_fit(from_, entries_, memory_bytes_);
    made_.nodes = rows;
  }

  void read_entries() {
    made_.edges.reserve(entries_);
    while (next_words()) {
      if (made_.edges.size() == entries_)
        from_.refuse(
            fmt::format("there are more entries than the {} that the file declares; correct the line \"rows "
                        "columns entries\"",
                        entries_));
      read_entry();
    }
    if (made_.edges.size() != entries_)
      from_.refuse_file(fmt::format("it ends after {} of {} entries: it is truncated, or it declares too many",
                                    made_.edges.size(), entries_));
  }

  void read_entry() {
    const std::size_t wanted = has_values_ ? 3 : 2;
    const auto& words = from_.words(wanted);
    if (words.size() != wanted)
      from_.refuse(fmt::format("an entry of this matrix is \"{}\"", has_values_ ? "row column value" : "row column"));
    const std::uint64_t row = place(words[0], "row");
    const std::uint64_t column = place(words[1], "column");
    if (has_values_ && !looks_like_number(words[2]))
      from_.refuse(fmt::format("the value {} is no number", quoted(words[2])));
    if (made_.undirected && column > row)
      from_.refuse(
          fmt::format("entry ({}, {}) lies above the diagonal; a symmetric matrix is given by its lower "
                      "triangle, else call it general",
                      row, column));
    made_.edges.push_back(
        {static_cast<workloads::node_number>(row - 1), static_cast<workloads::node_number>(column - 1)});
  }

  std::uint64_t place(std::string_view word, std::string_view what) {
    const std::uint64_t number = whole_number_in(from_, what, word);
    if (number < 1 || number > made_.nodes)
      from_.refuse(fmt::format("{} {} does not exist; they are numbered from 1 to {}", what, number, made_.nodes));
    return number;
  }

  line_reader& from_;
  std::uint64_t memory_bytes_;
  std::uint64_t entries_ = 0;
  bool has_values_ = false;
  workloads::edge_list made_{};
};

}  // namespace

workloads::edge_list read_matrix_market(line_reader& from, std::uint64_t memory_bytes) {
  return matrix_reader(from, memory_bytes).read();
}

}  // namespace nearfork::tools
