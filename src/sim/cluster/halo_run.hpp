// A 1-D halo exchange on a simulated cluster: equal ranks, one a node, in a row. Each iteration sends a border to each
// neighbour, computes, and needs the neighbours' borders for the tasks of its own borders.
//
// The sides of a node's network card, one that sends and one that receives, are queues of one message at a time. The
// switch between them has full bisection: messages of different cards do not meet. A message flows through: its head
// arrives a latency after it began to be sent.
#pragma once

#include <cstdint>

namespace nearfork::sim {

struct network_link {
  double bytes_per_ns = 1;  // GB/s
  std::uint64_t latency_ps = 0;
};

enum class message_waits : std::uint8_t {
  blocking,   // a rank computes nothing until its messages are there
  suspended,  // the inside is computed in the meantime
};

struct halo_exchange {
  std::uint32_t ranks = 1;
  std::uint32_t iterations = 1;
  std::uint64_t inside_ps = 0;  // computation of an iteration that needs no message
  std::uint64_t border_ps = 0;  // computation that needs all messages
  std::uint64_t message_bytes = 0;
};

struct halo_report {
  std::uint64_t duration_ps = 0;  // until the last rank ends
  std::uint64_t sent = 0;         // messages
  std::uint64_t received = 0;
  friend constexpr bool operator==(const halo_report&, const halo_report&) = default;
};

/// Deterministic. Throws: nearfork::error without ranks or iterations, if the bandwidth is no positive number, or if
/// times could exceed half of the largest number.
[[nodiscard]] halo_report run_halo(const halo_exchange& what, network_link link, message_waits how);

}  // namespace nearfork::sim
