// What a thief takes along with a short task of a group: more of the tasks that lie beside it. They become loose jobs
// of the thief's fiber, from where others can take them. One by one, each of a million tasks of 0.2 us took 140 ns on
// two workers, and takes 126 so; trivial ones that main spawns 79 and 62.
#pragma once

#include <cstddef>

#include <nearfork/detail/fiber.hpp>

#include "runtime/workers/worker.hpp"

namespace nearfork {

/// False: `found` is no task of a group from another one's deque; or a plan, a trace or a recording is to see each
/// steal; or others could not take by force what lies below a long task.
[[nodiscard]] bool may_take_along(const worker& me, const work_item& found) noexcept;
/// In the loop of a worker, before `found` begins. `found` is the youngest of the tasks then. Returns how many others
/// there are.
[[nodiscard]] std::size_t take_along(fiber& self, work_item& found) noexcept;

}  // namespace nearfork
