// Which of a runtime's per-worker values is the caller's.
#pragma once

namespace nearfork {

class runtime;

namespace detail {

/// The index of the calling worker if it belongs to `home`; else `if_outside`.
[[nodiscard]] unsigned index_in(const runtime* home, unsigned if_outside) noexcept;
/// The same, but throws nearfork::error on a worker of another runtime.
[[nodiscard]] unsigned own_index_in(const runtime* home, unsigned if_outside);

}  // namespace detail

}  // namespace nearfork
