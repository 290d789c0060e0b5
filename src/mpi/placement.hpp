// Which PUs the ranks of a node use: pure, from what each may use.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <nearfork/mpi/session.hpp>

namespace nearfork::mpi {

/// The PUs of one process, ascending.
using pu_list = std::vector<unsigned>;

enum class binding : int { by_launcher, nobody, mixed };

/// by_launcher: no two ranks share a PU, or there is only one. nobody: all may use the same. mixed: anything else.
[[nodiscard]] binding binding_of(std::span<const pu_list> ranks);
/// "0-3,8".
[[nodiscard]] std::string text_of(const pu_list& pus);
/// For each pair of ranks of one node that share PUs: "rank 0 and rank 2 share PU 0 on n1".
[[nodiscard]] std::vector<std::string> overlaps(std::span<const rank_place> places);
/// "out/report.json" -> "out/report.rank3.json". "" and "stderr" stay.
[[nodiscard]] std::string path_of_rank(const std::string& path, int rank);

}  // namespace nearfork::mpi
