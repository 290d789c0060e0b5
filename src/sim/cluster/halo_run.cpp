#include "sim/cluster/halo_run.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <tuple>
#include <vector>

#include <nearfork/error.hpp>

namespace nearfork::sim {
namespace {

enum class halo_step : std::uint8_t { arrived, head, begin };

struct halo_event {
  std::uint64_t at_ps;
  halo_step what;
  std::uint32_t rank;
  std::uint32_t iteration;
  friend bool operator>(const halo_event& a, const halo_event& b) {
    return std::tie(a.at_ps, a.what, a.rank, a.iteration) > std::tie(b.at_ps, b.what, b.rank, b.iteration);
  }
};

struct halo_rank {
  std::uint32_t iteration = 0;
  bool waits = false;
  std::uint64_t began_ps = 0;
  std::uint64_t send_free_ps = 0;
  std::uint64_t receive_free_ps = 0;
  std::array<std::uint64_t, 2> last_ps{};  // arrival, of even and odd iterations: neighbours are at most one ahead
  std::array<std::uint32_t, 2> here{};
};

class halo_row {
 public:
  halo_row(const halo_exchange& what, network_link link, message_waits how, std::uint64_t transfer_ps)
      : what_(what), link_(link), how_(how), transfer_ps_(transfer_ps), ranks_(what.ranks) {}

  halo_report run() {
    for (std::uint32_t rank = 0; rank < what_.ranks; ++rank) events_.push({0, halo_step::begin, rank, 0});
    while (!events_.empty()) {
      const halo_event now = events_.top();
      events_.pop();
      step(now);
    }
    return report_;
  }

 private:
  void step(const halo_event& now) {
    halo_rank& rank = ranks_[now.rank];
    switch (now.what) {
      case halo_step::begin: begin(now, rank); break;
      case halo_step::head:
        rank.receive_free_ps = std::max(rank.receive_free_ps, now.at_ps) + transfer_ps_;
        events_.push({rank.receive_free_ps, halo_step::arrived, now.rank, now.iteration});
        return;
      case halo_step::arrived:
        ++report_.received;
        ++rank.here[now.iteration % 2];
        rank.last_ps[now.iteration % 2] = now.at_ps;
        break;
    }
    finish_if_all_is_here(now.rank, rank);
  }

  void begin(const halo_event& now, halo_rank& rank) {
    rank.iteration = now.iteration;
    rank.began_ps = now.at_ps;
    rank.waits = true;
    if (now.rank > 0) send(now, rank, now.rank - 1);
    if (now.rank + 1 < what_.ranks) send(now, rank, now.rank + 1);
  }

  void send(const halo_event& now, halo_rank& from, std::uint32_t to) {
    const std::uint64_t start = std::max(now.at_ps, from.send_free_ps);
    from.send_free_ps = start + transfer_ps_;
    events_.push({start + link_.latency_ps, halo_step::head, to, now.iteration});
    ++report_.sent;
  }

  void finish_if_all_is_here(std::uint32_t index, halo_rank& rank) {
    const std::uint32_t neighbours = (index > 0 ? 1U : 0U) + (index + 1 < what_.ranks ? 1U : 0U);
    const std::uint32_t slot = rank.iteration % 2;
    if (!rank.waits || rank.here[slot] < neighbours) return;
    const std::uint64_t messages = std::max(rank.began_ps, rank.last_ps[slot]);
    const std::uint64_t both = how_ == message_waits::blocking ? messages + what_.inside_ps
                                                               : std::max(messages, rank.began_ps + what_.inside_ps);
    const std::uint64_t end = both + what_.border_ps;
    rank.waits = false;
    rank.here[slot] = 0;
    report_.duration_ps = std::max(report_.duration_ps, end);
    if (rank.iteration + 1 < what_.iterations) events_.push({end, halo_step::begin, index, rank.iteration + 1});
  }

  halo_exchange what_;
  network_link link_;
  message_waits how_;
  std::uint64_t transfer_ps_;
  std::vector<halo_rank> ranks_;
  std::priority_queue<halo_event, std::vector<halo_event>, std::greater<>> events_;
  halo_report report_;
};

}  // namespace

halo_report run_halo(const halo_exchange& what, network_link link, message_waits how) {
  if (what.ranks == 0 || what.iterations == 0)
    throw error("nearfork: a halo exchange needs at least 1 rank and 1 iteration");
  if (!std::isfinite(link.bytes_per_ns) || link.bytes_per_ns <= 0)
    throw error("nearfork: the bandwidth of a cluster's link must be more than 0 GB/s");
  const double transfer = static_cast<double>(what.message_bytes) * 1000 / link.bytes_per_ns;
  const double iteration = static_cast<double>(what.inside_ps) + static_cast<double>(what.border_ps) +
                           static_cast<double>(link.latency_ps) + 4 * transfer;
  if (iteration * what.iterations > static_cast<double>(std::numeric_limits<std::uint64_t>::max()) / 2)
    throw error("nearfork: the simulated halo exchange takes too long: fewer iterations, or a faster link");
  return halo_row(what, link, how, static_cast<std::uint64_t>(std::llround(transfer))).run();
}

}  // namespace nearfork::sim
