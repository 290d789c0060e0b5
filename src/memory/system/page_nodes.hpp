// On which nodes pages lie, asked of the system that runs this program.
#pragma once

#include <cstddef>
#include <span>

namespace nearfork {

/// For each page, the number of its node or, if it was not touched, a negative errno value: -ENOENT, on Linux 6.1
/// -EFAULT. Returns 0 or an errno value. 0.1 to 0.25 us a page.
[[nodiscard]] int nodes_of_pages(std::span<std::byte* const> pages, std::span<int> nodes) noexcept;

/// Of the pages that it is asked for.
[[nodiscard]] std::size_t system_page_bytes() noexcept;

}  // namespace nearfork
