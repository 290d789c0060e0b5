// Whether this process has more rights than the user who started it.
#pragma once

namespace nearfork {

/// True for setuid and setgid programs and for files with capabilities: what the kernel calls AT_SECURE. Such a program
/// obeys no variable of its environment, which belongs to the user who started it. The answer never changes.
[[nodiscard]] bool is_privileged() noexcept;

/// For tests: while one lives, this process behaves as a privileged one. The other direction does not exist.
class pretended_privileges {
 public:
  pretended_privileges() noexcept;
  ~pretended_privileges();
  pretended_privileges(const pretended_privileges&) = delete;
  pretended_privileges& operator=(const pretended_privileges&) = delete;
};

}  // namespace nearfork
