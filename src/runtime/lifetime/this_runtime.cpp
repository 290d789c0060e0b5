#include <nearfork/tasks/this_runtime.hpp>

#include <nearfork/detail/tasks/per_worker_index.hpp>
#include <nearfork/error.hpp>
#include <nearfork/runtime.hpp>

#include "runtime/workers/crew.hpp"

namespace nearfork {

runtime* this_runtime::current() noexcept {
  return detail::thread_mark() ? detail::this_fiber().runner->home.of() : nullptr;
}

runtime& this_runtime::get() {
  runtime* const here = current();
  return here != nullptr ? *here : process_runtime();
}

unsigned this_runtime::workers() {
  return get().workers();
}

namespace detail {

namespace {

unsigned index_among(const worker& me, unsigned workers) noexcept {
  const unsigned level = me.home.relief_level();
  if (level == 0) return me.index;
  return level <= further_crews ? 1 + workers * level + me.index : workers;
}

}  // namespace

unsigned index_in(const runtime* home, unsigned workers) noexcept {
  if (!thread_mark()) return workers;
  const worker& me = *this_fiber().runner;
  return me.home.of() == home ? index_among(me, workers) : workers;
}

unsigned own_index_in(const runtime* home, unsigned workers) {
  if (!thread_mark()) return workers;
  const worker& me = *this_fiber().runner;
  if (me.home.of() == home) return index_among(me, workers);
  throw error(
      "nearfork: per_worker::local() was called on a worker of another runtime, whose workers would share one value; "
      "use with(), or make a per_worker in that runtime");
}

}  // namespace detail

}  // namespace nearfork
