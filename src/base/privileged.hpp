// Whether this process has more rights than the person who started it.
#pragma once

namespace nearfork {

/// True for setuid and setgid programs and for files with capabilities: what the kernel calls AT_SECURE. Such a program obeys no
/// variable of its environment, which belongs to whoever started it. Stays as it was at the start.
[[nodiscard]] bool is_privileged() noexcept;

/// For tests: as long as one lives, this process behaves as a privileged one. There is none for the other direction.
class pretended_privileges {
 public:
  pretended_privileges() noexcept;
  ~pretended_privileges();
  pretended_privileges(const pretended_privileges&) = delete;
  pretended_privileges& operator=(const pretended_privileges&) = delete;
};

}  // namespace nearfork
