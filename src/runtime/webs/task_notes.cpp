#include "runtime/webs/task_notes.hpp"

#include <limits>
#include <new>

namespace nearfork {

void task_notes::add(detail::dataflow_task& one) {
  one.place = nowhere;
  if (tasks_.size() >= nowhere) throw std::bad_alloc();
  tasks_.push_back(&one);
  one.place = static_cast<std::uint32_t>(tasks_.size() - 1);
}

void task_notes::add_dependence(std::uint32_t of, std::uint32_t on) {
  if (dependences_.size() >= std::numeric_limits<std::uint32_t>::max()) throw std::bad_alloc();
  if (!dependences_.empty() && dependences_.back().of == of && dependences_.back().on == on) return;
  dependences_.push_back({of, on});
}

}  // namespace nearfork
