// Reads a machine's model from its text. model_values.hpp has the keys.
#pragma once

#include <string>
#include <string_view>

#include "machine/model/machine.hpp"
#include "sim/machine/machine_model.hpp"

namespace nearfork::sim {

/// The model of `where` that `text` gives. `name` is for messages. The text must set every value, and none twice.
/// Throws: nearfork::error, with file and line if there is one: unknown or missing keys, values out of range, kinds of
/// cores or memory that the machine does not have, no route over the links to some memory.
/// Any thread. O(size of the text * log + domains * nodes * links).
[[nodiscard]] machine_model load_model(const machine& where, std::string_view text, std::string name = "model");
[[nodiscard]] machine_model load_model_file(const machine& where, const std::string& path);

}  // namespace nearfork::sim
