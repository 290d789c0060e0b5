// The paths of outputs of which a process may write several: g.nfg, g-2.nfg, g-3.nfg.
#pragma once

#include <string>

namespace nearfork {

/// A path of its own for each call with the same `path`; but `path` itself each time if it leads to a FIFO or a device,
/// which gets one output after the other. `option` as for output_file. Thread-safe. Throws as output_file does.
[[nodiscard]] std::string numbered_path(const std::string& path, const std::string& option);

}  // namespace nearfork
