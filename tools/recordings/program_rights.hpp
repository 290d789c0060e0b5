// Programs that the system starts with more rights than their user has (setuid), where the environment is ignored.
#pragma once

#include <string>
#include <string_view>

namespace nearfork::tools {

/// Where execvp() finds the program. Empty: in no folder of PATH.
[[nodiscard]] std::string path_of_program(const std::string& program);

/// "it runs with the rights of another user (setuid)". Empty: it has those of its user.
[[nodiscard]] std::string added_rights(const std::string& path);

/// Why nearfork in the program may not have heard what the environment asks of it; continues "the program ...; ".
/// `also`: what else such a program must do, if it has no rights that explain it.
[[nodiscard]] std::string why_unheard(const std::string& program, std::string_view also = {});

}  // namespace nearfork::tools
