#include "memory/pools/node_pools_threads.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

#include "base/fork_order.hpp"
#include "base/threads/thread_object.hpp"
#include "memory/pools/node_pools.hpp"
#include "memory/pools/node_pools_lock.hpp"

namespace nearfork {

constinit thread_local present_magazines last_used;

namespace pool_threads {
namespace {

constinit pool_lock live_lock;
node_pools* first_live = nullptr;  // under live_lock, which is taken before all locks of a pool

/// The living pools with this number; call it under live_lock.
node_pools* live(std::uint64_t number) noexcept {
  node_pools* pools = first_live;
  while (pools != nullptr && pools->number() != number) pools = pools->next_live();
  return pools;
}

/// Set when keeper is destroyed. Blocks that this thread frees later bypass its magazines.
constinit thread_local bool ended = false;

class keeper {
 public:
  ~keeper() {
    ended = true;
    last_used = {};
    const std::lock_guard guard(live_lock);
    for (const present_magazines& one : kept_)
      if (node_pools* const pools = live(one.pools)) pools->retire(one.magazines);
  }

  magazine* find_or_make(node_pools& pools) {
    const auto found = std::ranges::find(kept_, pools.number(), &present_magazines::pools);
    if (found != kept_.end()) return found->magazines;
    forget_dead();
    kept_.reserve(kept_.size() + 1);
    kept_.push_back({pools.number(), pools.lend_magazines()});
    return kept_.back().magazines;
  }

 private:
  void forget_dead() noexcept {
    const std::lock_guard guard(live_lock);
    std::erase_if(kept_, [](const present_magazines& one) { return live(one.pools) == nullptr; });
  }

  std::vector<present_magazines> kept_;
};

}  // namespace

magazine* own_magazines(node_pools& pools) noexcept {
  if (ended) return nullptr;
  try {
    last_used = {pools.number(), thread_object<keeper>().find_or_make(pools)};
  } catch (...) {
    return nullptr;  // no memory for them: the pool works without magazines
  }
  return last_used.magazines;
}

void come_alive(node_pools& pools) {
  static constexpr fork_handlers around_fork{before_fork, after_fork};
  call_around_fork(fork_rank::node_pools, around_fork);
  const std::lock_guard guard(live_lock);
  pools.set_next_live(first_live);
  first_live = &pools;
}

void pass_away(node_pools& pools) noexcept {
  const std::lock_guard guard(live_lock);
  if (first_live == &pools) {
    first_live = pools.next_live();
    return;
  }
  node_pools* before = first_live;
  while (before->next_live() != &pools) before = before->next_live();
  before->set_next_live(pools.next_live());
}

void before_fork() noexcept {
  live_lock.lock();
  for (node_pools* pools = first_live; pools != nullptr; pools = pools->next_live()) pools->lock_all();
}

void after_fork() noexcept {
  for (node_pools* pools = first_live; pools != nullptr; pools = pools->next_live()) pools->unlock_all();
  live_lock.unlock();
}

}  // namespace pool_threads
}  // namespace nearfork
