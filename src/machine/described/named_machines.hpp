// Named machines: a folder with NAME.xml, which hwloc reads, and NAME.model for what hwloc cannot say
// (docs/MACHINES.md).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "machine/model/machine.hpp"

namespace nearfork {

/// The folder of named machines: `folder` itself, if it is not empty. Else the first that exists of these: the
/// environment's NEARFORK_MACHINE_FOLDER, share/nearfork/machines above the folder of the library or program with this
/// code, and the place where nearfork was configured to be installed. A privileged process uses only the last.
/// Throws: nearfork::error if there is none.
[[nodiscard]] std::string machine_folder(const std::string& folder = {});

/// The names in alphabetic order. Throws: nearfork::error if the folder cannot be read.
[[nodiscard]] std::vector<std::string> machine_names(const std::string& folder = {});

/// True for small letters, digits, '-', '_' and '.', with a letter first. Synthetic strings never look so: they have
/// colons or begin with numbers.
[[nodiscard]] bool looks_like_machine_name(std::string_view text) noexcept;

/// Throws: nearfork::error with all known names if the name is not known.
[[nodiscard]] std::shared_ptr<const machine> named_machine(std::string_view name, const std::string& folder = {});

/// The text of machine::model_file(). Throws: nearfork::error if it cannot be read or is larger than a model can be.
[[nodiscard]] std::string text_of_model_file(const std::string& path);

/// What the system says about folders, for machine_folder().
[[nodiscard]] bool is_folder(const std::string& path) noexcept;
[[nodiscard]] bool is_file(const std::string& path) noexcept;
/// True also for a link to nothing.
[[nodiscard]] bool is_there(const std::string& path) noexcept;
/// The names in a folder, in no order; empty if it cannot be read.
[[nodiscard]] std::vector<std::string> names_in(const std::string& folder);
/// The folder of the library or program with this code; empty: not known.
[[nodiscard]] std::string folder_of_this_code();

}  // namespace nearfork
