// The two formats, each from its first line on, and what they share.
#pragma once

#include <cstdint>
#include <string_view>

#include "tools/graph_files/line_reader.hpp"
#include "workloads/graphs/edge_list.hpp"

namespace nearfork::tools {

/// The reader stands on the line "%%MatrixMarket ...".
[[nodiscard]] workloads::edge_list read_matrix_market(line_reader& from, std::uint64_t memory_bytes);

/// The reader stands on the first line, or the text is empty: then `has_line` is false.
[[nodiscard]] workloads::edge_list read_edge_lines(line_reader& from, bool has_line, std::uint64_t memory_bytes);

/// Digits alone, at most 64 bits. `what` names the number in messages.
[[nodiscard]] std::uint64_t whole_number_in(const line_reader& from, std::string_view what, std::string_view word);

/// Refuses the file if so many edges take more memory than there is.
void check_edges_fit(const line_reader& from, std::uint64_t edges, std::uint64_t memory_bytes);

}  // namespace nearfork::tools
