// Which processor this is, by /proc/cpuinfo.
#pragma once

#include <string>
#include <string_view>

namespace nearfork {

struct cpu_model {
  std::string vendor;            // "GenuineIntel", "AuthenticAMD"; on Arm the implementer: "0x41"
  unsigned family = 0;           // on Arm the architecture: 8
  unsigned model = 0;            // on Arm the part: 0xd0c
  bool several_kinds = false;    // its cores differ in any of these
  bool virtual_machine = false;  // /proc/cpuinfo says so; on Arm it never does

  [[nodiscard]] bool known() const noexcept { return !vendor.empty(); }
};

[[nodiscard]] cpu_model cpu_model_of(std::string_view cpuinfo);

/// "GenuineIntel family 6 model 85".
[[nodiscard]] std::string text_of(const cpu_model& which);

}  // namespace nearfork
