// Reads members of JSON strictly: a member that is missing or has another type is an error that names the file, the
// member and what to do.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nearfork::tools {

/// Throws: nearfork::error with line and column if `text` is no JSON.
[[nodiscard]] nlohmann::json parse_json(std::string_view text, const std::string& file);

/// An object within a file. The file's value outlives it.
class json_fields {
 public:
  /// `remedy`: what to do about a malformed file. Throws: nearfork::error, as all members, if `value` is no object.
  json_fields(const nlohmann::json& value, std::string file, std::string remedy, std::string path = {});

  [[nodiscard]] bool has(const char* name) const { return value_->contains(name) && !value_->at(name).is_null(); }
  [[nodiscard]] std::uint64_t whole(const char* name) const;
  /// A finite number. `least`: the lowest that is allowed.
  [[nodiscard]] double number(const char* name, double least = 0) const;
  [[nodiscard]] std::optional<double> number_if_there(const char* name, double least = 0) const;
  [[nodiscard]] std::string text(const char* name) const;
  /// Empty if it is missing or null.
  [[nodiscard]] std::string text_if_there(const char* name) const;
  [[nodiscard]] bool flag(const char* name) const;
  [[nodiscard]] json_fields object(const char* name) const;
  [[nodiscard]] std::vector<json_fields> objects(const char* name) const;
  [[nodiscard]] std::vector<std::string> texts(const char* name) const;
  /// A list of whole numbers.
  [[nodiscard]] std::vector<std::uint64_t> wholes(const char* name) const;
  /// The same, of `size` numbers.
  [[nodiscard]] std::vector<std::uint64_t> wholes(const char* name, std::size_t size) const;
  /// The members' names, and their whole numbers.
  [[nodiscard]] std::vector<std::pair<std::string, double>> numbers(const char* name) const;
  /// Throws: nearfork::error that names the member and the fault.
  [[noreturn]] void refuse_member(const char* name, const std::string& fault) const { refuse(path_of(name), fault); }
  /// Throws: nearfork::error if "version" is another one.
  void require_version(std::uint64_t version) const;

 private:
  [[noreturn]] void refuse(const std::string& path, const std::string& fault) const;
  [[nodiscard]] const nlohmann::json& member(const char* name, const char* wanted) const;
  [[nodiscard]] std::string path_of(const char* name) const { return path_.empty() ? name : path_ + "." + name; }
  [[nodiscard]] std::string text_of(const nlohmann::json& value, const std::string& path) const;

  const nlohmann::json* value_;
  std::string file_;
  std::string remedy_;
  std::string path_;
};

}  // namespace nearfork::tools
