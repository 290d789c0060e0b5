// Files that an output must not replace, because the command needs them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/output/output_file.hpp"

namespace nearfork::tools {

// All throw nearfork::error if the output would replace one of the files. `option` says where the output's path comes
// from.

/// `read`: paths; empty ones are passed over.
void keep_files(const output_file& output, std::string_view option, const std::vector<std::string>& read);

/// `machines`: as --machine takes them. Of an XML file the model beside it is read, too.
void keep_machines(const output_file& output, std::string_view option, const std::vector<std::string>& machines);

/// The program that is to run. One without a slash comes from a folder of PATH.
void keep_program(const output_file& output, std::string_view option, const std::string& program);

}  // namespace nearfork::tools
