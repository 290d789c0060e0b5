// A page beside the other output of a command (--html).
#pragma once

#include <string>
#include <string_view>

#include "base/output/output_file.hpp"

namespace nearfork::tools {

class page_output {
 public:
  /// Throws: nearfork::error if pages cannot be made (require_page_parts()) or `path` cannot be written.
  explicit page_output(const std::string& path);
  [[nodiscard]] const output_file& file() const noexcept { return output_; }
  /// `json`: what views_of_json() reads. Throws: nearfork::error.
  void write(std::string_view json, const std::string& title) const;

 private:
  output_file output_;
};

}  // namespace nearfork::tools
