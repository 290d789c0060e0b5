// Coarse tasks: are they shared at once with workers that are free? The same questions to nearfork and to oneTBB.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>

namespace coarse {

using body = std::function<void(std::size_t)>;

/// A runtime with its workers. Its calls are made inside(); each of them calls `act` with 0 to tasks - 1.
class client {
 public:
  client() = default;
  virtual ~client() = default;
  client(const client&) = delete;
  client& operator=(const client&) = delete;
  virtual void inside(const std::function<void()>& work) = 0;
  virtual void wide_fork(std::size_t tasks, const body& act) = 0;  // one fork of 2, 4, 8, 16 or 32 children
  virtual void group(std::size_t tasks, const body& act) = 0;      // spawned one by one
  virtual void tree(std::size_t tasks, const body& act) = 0;       // halved by forks of two children
  virtual void loop(std::size_t tasks, const body& act) = 0;
};

[[nodiscard]] std::unique_ptr<client> nearfork_client(unsigned workers);
/// nullptr where oneTBB was not found.
[[nodiscard]] std::unique_ptr<client> onetbb_client(unsigned workers);

/// Calls `fork` with an index sequence of as many indices: the width of a fork is known at compile time.
template <class Fork>
void with_width(std::size_t tasks, Fork&& fork) {
  switch (tasks) {
    case 2: return fork(std::make_index_sequence<2>());
    case 4: return fork(std::make_index_sequence<4>());
    case 8: return fork(std::make_index_sequence<8>());
    case 16: return fork(std::make_index_sequence<16>());
    case 32: return fork(std::make_index_sequence<32>());
    default: throw std::invalid_argument("a fork has 2, 4, 8, 16 or 32 children here");
  }
}

}  // namespace coarse
