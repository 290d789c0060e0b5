#include <nearfork/mpi/session.hpp>

#include <array>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <optional>

#include <nearfork/machine_shares.hpp>

#include "mpi/engine.hpp"
#include "mpi/placement.hpp"
#include "mpi/process.hpp"

namespace nearfork::mpi {
namespace {

constexpr std::uint64_t second = 1'000'000'000;
const called starting{"nearfork::mpi::session", MPI_COMM_NULL, {__FILE__, __LINE__}};

/// MPI from here to the end of the session.
class mpi_use {
 public:
  mpi_use(int* argc, char*** argv) {
    int is_initialised = 0;
    (void)MPI_Initialized(&is_initialised);
    if (is_initialised != 0) return;
    int provided = 0;
    ends_ = MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS;
  }
  ~mpi_use() {
    int is_finalised = 0;
    (void)MPI_Finalized(&is_finalised);
    if (ends_ && is_finalised == 0) (void)MPI_Finalize();
  }
  mpi_use(const mpi_use&) = delete;
  mpi_use& operator=(const mpi_use&) = delete;

 private:
  bool ends_ = false;
};

/// What all ranks of `comm` have, by rank. Blocks: no task runs yet.
template <class T>
std::vector<std::vector<T>> from_all(const std::vector<T>& mine, MPI_Comm comm) {
  int ranks = 1;
  (void)MPI_Comm_size(comm, &ranks);
  const auto n = static_cast<std::size_t>(ranks);
  const int bytes = static_cast<int>(mine.size() * sizeof(T));
  std::vector<int> sizes(n);
  (void)MPI_Allgather(&bytes, 1, MPI_INT, sizes.data(), 1, MPI_INT, comm);
  std::vector<int> offsets(n);
  std::exclusive_scan(sizes.begin(), sizes.end(), offsets.begin(), 0);
  std::vector<char> all(static_cast<std::size_t>(offsets.back() + sizes.back()) + 1);
  (void)MPI_Allgatherv(mine.data(), bytes, MPI_BYTE, all.data(), sizes.data(), offsets.data(), MPI_BYTE, comm);
  std::vector<std::vector<T>> made(n);
  for (std::size_t i = 0; i < n; ++i) {
    made[i].resize(static_cast<std::size_t>(sizes[i]) / sizeof(T));
    if (!made[i].empty()) std::memcpy(made[i].data(), all.data() + offsets[i], static_cast<std::size_t>(sizes[i]));
  }
  return made;
}

/// The ranks that share this machine's memory.
class node_ranks {
 public:
  node_ranks() { (void)MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm_); }
  ~node_ranks() { (void)MPI_Comm_free(&comm_); }
  node_ranks(const node_ranks&) = delete;
  node_ranks& operator=(const node_ranks&) = delete;
  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }
  [[nodiscard]] int rank() const {
    int mine = 0;
    (void)MPI_Comm_rank(comm_, &mine);
    return mine;
  }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

std::string take_share(const pu_list& mine, int failed) {
  if (failed == 0) return "agreed among the ranks of the node";
  return "not bound to PU " + text_of(mine) + ": " + std::strerror(failed);
}

/// Takes this rank's share of its node. Returns how.
std::string place_this_rank(const config& settings) {
  if (!settings.machine.empty()) return "not bound: the machine is described";
  const node_ranks node;
  const auto all = from_all(bound_to(), node.comm());
  switch (binding_of(all)) {
    case binding::by_launcher: return all.size() > 1 ? "bound by the launcher" : "alone on its node";
    case binding::mixed: return "bound by the launcher, not apart from others";
    case binding::nobody: break;
  }
  if (settings.pin == pinning::off) return "not bound: pin is off";
  const auto shares = machine_shares(static_cast<unsigned>(all.size()), settings);
  const pu_list& mine = shares[static_cast<std::size_t>(node.rank())];
  return take_share(mine, bind_to(mine));
}

std::vector<char> bytes_of(const std::string& text) {
  return {text.begin(), text.end()};
}

std::vector<rank_place> tell_places(const std::string& how) {
  std::array<char, MPI_MAX_PROCESSOR_NAME + 1> name{};
  int length = 0;
  (void)MPI_Get_processor_name(name.data(), &length);
  const auto pus = from_all(bound_to(), MPI_COMM_WORLD);
  const auto nodes = from_all(bytes_of(name.data()), MPI_COMM_WORLD);
  const auto ways = from_all(bytes_of(how), MPI_COMM_WORLD);
  std::vector<rank_place> made;
  for (std::size_t i = 0; i < pus.size(); ++i)
    made.push_back({.rank = static_cast<int>(i),
                    .node = {nodes[i].begin(), nodes[i].end()},
                    .pus = pus[i],
                    .how = {ways[i].begin(), ways[i].end()}});
  return made;
}

config for_rank(config settings, int rank, int ranks) {
  if (ranks == 1) return settings;
  for (std::string config::* const path : {&config::report, &config::record, &config::trace})
    settings.*path = path_of_rank(settings.*path, rank);
  if (settings.source_of("name") == "default") settings.name = "rank " + std::to_string(rank);
  return settings;
}

}  // namespace

struct session::parts {
  parts(int* argc, char*** argv) : use(argc, argv) {}

  mpi_use use;
  int rank = 0;
  int ranks = 1;
  std::vector<rank_place> places;
  std::optional<runtime> home;
};

namespace {

/// By rank 0, where a report is asked for.
void write_places(const std::string& report, const std::string& text) {
  if (report.empty()) return;
  std::FILE* const file = report == "stderr" ? stderr : std::fopen((report + ".ranks").c_str(), "w");
  if (file == nullptr) {
    std::fprintf(stderr, "nearfork: cannot write %s.ranks\n%s", report.c_str(), text.c_str());
    return;
  }
  std::fputs(text.c_str(), file);
  if (file != stderr) (void)std::fclose(file);
}

void judge(const std::vector<std::string>& shared, const config& settings, int rank) {
  if (shared.empty()) return;
  const std::string first =
      "nearfork: " + shared[0] +
      (shared.size() > 1 ? " (and " + std::to_string(shared.size() - 1) + " more pairs share)" : std::string()) +
      "; start fewer ranks on a node, or let the launcher bind them apart (mpirun --bind-to core)";
  if (settings.strict) throw error(first, starting.call, {}, MPI_ERR_OTHER);
  if (rank == 0) std::fprintf(stderr, "%s\n", first.c_str());
}

}  // namespace

session::session(const config& settings) : parts_(std::make_unique<parts>(nullptr, nullptr)) {
  begin(settings);
}

session::session(int& argc, char**& argv, const config& settings) : parts_(std::make_unique<parts>(&argc, &argv)) {
  begin(settings);
}

void session::begin(const config& settings) {
  engine& here = engine::ready(starting);
  here.tell_after(settings.mpi_stall_s * second);
  tell_waits_at_end();
  (void)MPI_Comm_rank(MPI_COMM_WORLD, &parts_->rank);
  (void)MPI_Comm_size(MPI_COMM_WORLD, &parts_->ranks);
  parts_->places = tell_places(place_this_rank(settings));
  judge(overlaps(parts_->places), settings, parts_->rank);
  if (parts_->rank == 0) write_places(settings.report, places_text());
  parts_->home.emplace(for_rank(settings, parts_->rank, parts_->ranks));
}

session::~session() = default;

runtime& session::home() noexcept {
  return *parts_->home;
}
int session::rank() const noexcept {
  return parts_->rank;
}
int session::ranks() const noexcept {
  return parts_->ranks;
}
const std::vector<rank_place>& session::places() const noexcept {
  return parts_->places;
}

std::string session::places_text() const {
  std::string text;
  for (const rank_place& one : parts_->places)
    text += "rank " + std::to_string(one.rank) + " on " + one.node + ": PU " + text_of(one.pus) + ", " + one.how + "\n";
  for (const std::string& one : overlaps(parts_->places)) text += one + "\n";
  return text;
}

}  // namespace nearfork::mpi
