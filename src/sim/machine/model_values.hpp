// The entries of a model file by key, as numbers within their range. Knows which entries have not been read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/message_text.hpp"
#include "sim/machine/model_text.hpp"

namespace nearfork::sim {

/// What a key of model files means.
struct model_key {
  std::string_view name;
  std::string_view selectors;  // "LEVEL [CORE_KIND]"
  std::string_view unit;       // empty: a number, or words
  std::string_view meaning;
  double least = 0;
  double most = 0;
};
/// "0.01", "100000".
[[nodiscard]] std::string shown(double number);
/// All keys, in the order of docs/MACHINES.md.
[[nodiscard]] const std::vector<model_key>& model_keys();

class model_values {
 public:
  using selectors = std::vector<std::string>;

  /// `machine`: its name in messages. Throws: nearfork::error if a key does not exist.
  model_values(const model_text& text, std::string machine);

  [[nodiscard]] const model_text& text() const noexcept { return text_; }
  [[nodiscard]] const std::string& machine() const noexcept { return machine_; }

  [[nodiscard]] const model_entry* entry(std::string_view key, const selectors& wanted = {});
  /// Throw nearfork::error if the value is no number or is out of its key's range. must_ and whole() also throw if
  /// there is no value.
  [[nodiscard]] std::optional<double> find(std::string_view key, const selectors& wanted = {});
  [[nodiscard]] double must(std::string_view key, const selectors& wanted = {});
  [[nodiscard]] std::uint32_t whole(std::string_view key, const selectors& wanted = {});
  [[nodiscard]] std::uint64_t thousandths(std::string_view key, const selectors& wanted = {});
  /// The value for `kind`, named after the other selectors; else the value for all kinds.
  [[nodiscard]] std::optional<double> find_for_kind(std::string_view key, selectors wanted, const std::string& kind);
  [[nodiscard]] double must_for_kind(std::string_view key, const selectors& wanted, const std::string& kind);
  [[nodiscard]] std::uint32_t whole_for_kind(std::string_view key, const selectors& wanted, const std::string& kind);

  [[noreturn]] void missing(const std::string& what) const;
  [[noreturn]] void wrong(const std::string& what) const;
  /// Throws: nearfork::error for the first entry that was not read.
  void require_all_used() const;

 private:
  [[nodiscard]] double number(const model_entry& of) const;

  const model_text& text_;
  std::string machine_;
  std::map<std::string, std::size_t> places_;  // index into text_.entries, by key and selectors
  std::vector<bool> used_;
};

[[nodiscard]] std::uint64_t in_thousandths(double value);

}  // namespace nearfork::sim
