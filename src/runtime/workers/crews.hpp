// The crews of this process.
#pragma once

#include <functional>

namespace nearfork {

class crew;

/// A crew is on the list while it lives. Locks: these are called rarely.
void enlist(crew& made);
void strike_off(crew& gone) noexcept;
void for_each_crew(const std::function<void(crew&)>& act) noexcept;

}  // namespace nearfork
