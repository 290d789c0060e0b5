// Which of a runtime's per-worker values is the caller's.
#pragma once

namespace nearfork {

class runtime;

namespace detail {

/// So many times as many further workers as a runtime has of its own may have values.
inline constexpr unsigned further_crews = 3;

/// The index of the calling worker if it belongs to `home`, which has so many; else `workers`. Further workers of
/// `home` (docs/TASKS.md) have those above.
[[nodiscard]] unsigned index_in(const runtime* home, unsigned workers) noexcept;
/// The same, but throws nearfork::error on a worker of another runtime.
[[nodiscard]] unsigned own_index_in(const runtime* home, unsigned workers);

}  // namespace detail

}  // namespace nearfork
