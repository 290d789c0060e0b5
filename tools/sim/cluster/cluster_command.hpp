// What `nearfork sim` does for programs on a cluster.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/sim/request.hpp"

namespace nearfork::tools {

struct cluster_options {
  std::vector<std::uint32_t> nodes{};
  std::string scaling{};
};

void add_cluster_options(CLI::App& to, cluster_options& into);

[[nodiscard]] bool is_cluster_program(std::string_view subject) noexcept;

enum class output_form : std::uint8_t { text, json, csv };

/// Simulates, and prints the results. `command`: has been parsed; options that a cluster does not know are refused.
/// Throws: nearfork::error; exit_with if Ctrl-C ended it.
void run_cluster(const CLI::App& command, const sim_request& request, const cluster_options& options, output_form form);
/// Throws: nearfork::error if one of `options` was given, which only programs on clusters have.
void refuse_cluster_options(const std::string& subject, const cluster_options& options);

}  // namespace nearfork::tools
