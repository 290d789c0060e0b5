// Machines that have a name: a folder of NAME.xml, which hwloc reads, and NAME.model, what hwloc cannot say (docs/MACHINES.md).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "machine/model/machine.hpp"

namespace nearfork {

/// Where the named machines are: `folder` itself, or, if it is empty, the first that there is of the environment's
/// NEARFORK_MACHINE_FOLDER, share/nearfork/machines above the folder of the library or program that this code is in, and the
/// place where nearfork was configured to be installed: in a privileged program that place alone. Throws nearfork::error if there is none.
[[nodiscard]] std::string machine_folder(const std::string& folder = {});

/// In alphabetic order. Throws nearfork::error if the folder cannot be read.
[[nodiscard]] std::vector<std::string> machine_names(const std::string& folder = {});

/// Small letters, digits, '-', '_' and '.', and a letter first: what synthetic strings are not, for they have colons or begin
/// with numbers.
[[nodiscard]] bool looks_like_machine_name(std::string_view text) noexcept;

/// Throws nearfork::error, with all known names, for one that is not known.
[[nodiscard]] std::shared_ptr<const machine> named_machine(std::string_view name, const std::string& folder = {});

/// Of machine::model_file(). Throws nearfork::error if it cannot be read or is larger than a model can be.
[[nodiscard]] std::string text_of_model_file(const std::string& path);

/// What the system says of folders: for machine_folder().
[[nodiscard]] bool is_folder(const std::string& path) noexcept;
[[nodiscard]] bool is_file(const std::string& path) noexcept;
/// Names in a folder, in no order; nothing if it cannot be read.
[[nodiscard]] std::vector<std::string> names_in(const std::string& folder);
/// Of the library or program that this code is in; empty: not known.
[[nodiscard]] std::string folder_of_this_code();

}  // namespace nearfork
