#include "tools/bench/mpi/mpi_launch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <charconv>
#include <filesystem>
#include <optional>
#include <sstream>

#include <nearfork/error.hpp>

#include "base/text/message_text.hpp"

namespace nearfork::tools {
namespace {

constexpr std::array<std::string_view, 2> mpi_kinds{"openmpi", "mpich"};
constexpr const char* program_prefix = "nearfork-mpi-work-";

bool is_program(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

std::optional<std::string> found_in(const std::vector<std::string>& folders, const std::string& name) {
  for (const std::string& folder : folders)
    if (const auto path = std::filesystem::path(folder) / name; is_program(path)) return path.string();
  return std::nullopt;
}

std::vector<std::string> folders_in(std::string_view path) {
  std::vector<std::string> folders;
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t colon = std::min(path.find(':', from), path.size());
    folders.emplace_back(colon == from ? "." : path.substr(from, colon - from));
    from = colon + 1;
  }
  return folders;
}

std::uint64_t number_or_0(const std::string& text) {
  std::uint64_t number = 0;
  (void)std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

mpi_here mpi_to_use(const std::string& wanted, const std::vector<std::string>& folders, std::string_view path) {
  std::vector<std::string> missing;
  for (const std::string_view kind : mpi_kinds) {
    if (!wanted.empty() && wanted != kind) continue;
    const std::string program_name = program_prefix + std::string(kind);
    const std::string launcher_name = "mpirun." + std::string(kind);
    const auto program = found_in(folders, program_name);
    const auto launcher = found_in(folders_in(path), launcher_name);
    if (program && launcher) return {std::string(kind), *launcher, *program};
    if (!program) missing.push_back(fmt::format("{}: this build has no {}", kind, program_name));
    else missing.push_back(fmt::format("{}: there is no {} in PATH", kind, launcher_name));
  }
  throw error(
      fmt::format("nearfork: no MPI can be used ({}); install openmpi-bin or mpich, with their headers "
                  "(libopenmpi-dev, libmpich-dev), and configure and build nearfork again",
                  fmt::join(missing, "; ")));
}

std::vector<std::string> folders_of_programs() {
  std::error_code failed;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (failed) return {};
  const auto folder = self.parent_path();
  return {folder.string(), (folder.parent_path() / NEARFORK_LIBEXEC_FOLDER / "nearfork").string()};
}

std::vector<mpi_contender> mpi_contenders(unsigned ranks, unsigned threads) {
  return {{"nearfork", fmt::format("nearfork, {} x {}", ranks, threads), ranks, threads},
          {"mpi", fmt::format("MPI, {} x 1", ranks * threads), ranks * threads, 1},
          {"mpi-openmp", fmt::format("MPI + OpenMP, {} x {}", ranks, threads), ranks, threads}};
}

mpi_start start_of(const mpi_here& mpi, const mpi_contender& how, unsigned cores,
                   const std::vector<std::string>& arguments) {
  const bool binds = how.name != "nearfork" && how.ranks * how.threads <= cores;
  const bool is_open_mpi = mpi.kind == "openmpi";
  mpi_start made{.words = {mpi.launcher, "-n", std::to_string(how.ranks)}, .environment = {}};
  const auto add = [&](std::initializer_list<std::string> words) { made.words.insert(made.words.end(), words); };
  if (is_open_mpi && how.ranks * how.threads > cores) add({"--oversubscribe"});
  if (is_open_mpi && binds) add({"--map-by", fmt::format("slot:PE={}", how.threads), "--bind-to", "core"});
  if (is_open_mpi && !binds) add({"--bind-to", "none"});
  if (!is_open_mpi) add({"-bind-to", binds ? fmt::format("core:{}", how.threads) : "none"});
  add({mpi.program});
  made.words.insert(made.words.end(), arguments.begin(), arguments.end());
  const std::string threads = std::to_string(how.threads);
  made.environment = {{"NEARFORK_WORKERS", threads}, {"OMP_NUM_THREADS", threads}};
  // Open MPI asks for both where root starts it; a container often has no other user.
  if (is_open_mpi)
    made.environment.insert(made.environment.end(),
                            {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}});
  return made;
}

mpi_outcome mpi_outcome_from(const std::string& text) {
  mpi_outcome made;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t blank = line.find(' ');
    const std::string name = line.substr(0, blank);
    const std::string value = blank == std::string::npos ? "" : line.substr(blank + 1);
    if (name == "serial_ns") made.serial_ns = number_or_0(value);
    else if (name == "time_ns") made.times_ns.push_back(number_or_0(value));
    else if (name == "fault") made.fault = value;
    else if (name == "end") made.complete = true;
  }
  return made;
}

}  // namespace nearfork::tools
