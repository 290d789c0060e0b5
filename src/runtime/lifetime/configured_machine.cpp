#include "runtime/lifetime/configured_machine.hpp"

#include <string>

#include <nearfork/error.hpp>

namespace nearfork {

std::shared_ptr<const machine> configured_machine(const config& settings) {
  try {
    return load_machine(settings.machine, settings.machine_folder);
  } catch (const error& refused) {
    const std::string from = settings.source_of("machine");
    if (from == "default" || from == "program" || from.empty()) throw;
    throw error(std::string(refused.what()) + " (" + from + ")");
  }
}

}  // namespace nearfork
