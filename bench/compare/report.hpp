// Comparisons as text, as a page and as data.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bench/compare/circumstances.hpp"
#include "bench/compare/comparison.hpp"
#include "bench/compare/targets.hpp"

namespace bench {

/// A table for a terminal; the page has the same columns.
[[nodiscard]] std::string text_table(const comparison& of);
[[nodiscard]] std::string text_verdicts(const std::vector<verdict>& verdicts);

/// The text of docs/PERFORMANCE.md.
[[nodiscard]] std::string page(const std::vector<comparison>& all, const circumstances& around);
[[nodiscard]] nlohmann::json data(const std::vector<comparison>& all, const circumstances& around);

}  // namespace bench
