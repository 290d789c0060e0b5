#include "workloads/parameters.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>
#include <set>

#include <nearfork/error.hpp>

namespace nearfork::workloads {
namespace {

/// How far a suffix shifts; nothing if it is none of ours.
std::optional<unsigned> shift_of(std::string_view suffix) {
  if (suffix.empty()) return 0;
  if (suffix == "k" || suffix == "K") return 10;
  if (suffix == "M") return 20;
  if (suffix == "G") return 30;
  return std::nullopt;
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [rest, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{}) return std::nullopt;
  const auto shift = shift_of(text.substr(static_cast<std::size_t>(rest - text.data())));
  if (!shift || value > (~std::uint64_t{0} >> *shift)) return std::nullopt;
  return value << *shift;
}

std::string text_of(number_range range) {
  return std::to_string(range.lowest) + " to " + std::to_string(range.highest);
}

template <class Allowed>
parameter number_where(std::string name, std::uint64_t& field, std::string allowed_text, std::string meaning,
                       Allowed allowed) {
  return {.name = std::move(name),
          .allowed = std::move(allowed_text),
          .meaning = std::move(meaning),
          .try_set =
              [&field, allowed](std::string_view text) {
                const auto value = parse_number(text);
                if (!value || !allowed(*value)) return false;
                field = *value;
                return true;
              },
          .text = [&field] { return std::to_string(field); }};
}

/// What --size may be for a workload, as the last line of a message.
std::string allowed_sizes(std::span<const named_size> sizes, std::span<const parameter> fields) {
  std::string text = "allowed are the sizes ";
  for (const auto& size : sizes) text += (&size == sizes.data() ? "" : ", ") + size.name;
  text += " and the parameters ";
  for (const auto& field : fields)
    text += (&field == fields.data() ? "" : ", ") + field.name + "=(" + field.allowed + ")";
  return text + ", separated by commas";
}

std::vector<std::string_view> items_of(std::string_view text) {
  std::vector<std::string_view> items;
  if (text.empty()) return items;
  for (auto comma = text.find(','); comma != text.npos; comma = text.find(',')) {
    items.push_back(text.substr(0, comma));
    text.remove_prefix(comma + 1);
  }
  items.push_back(text);
  return items;
}

class size_reader {
 public:
  size_reader(std::string_view workload, std::span<const named_size> sizes, std::span<const parameter> fields)
      : workload_(workload), sizes_(sizes), fields_(fields) {}

  void read(std::string_view size) {
    named("default");
    const auto items = items_of(size);
    const bool begins_with_name = items.front().find('=') == std::string_view::npos;
    if (begins_with_name) named(items.front());
    for (const auto item : std::span(items).subspan(begins_with_name ? 1 : 0)) assign(item, repetition::refused);
  }

 private:
  enum class repetition : std::uint8_t { allowed, refused };

  void named(std::string_view name) {
    const auto found = std::ranges::find(sizes_, name, &named_size::name);
    if (found == sizes_.end()) refuse("there is no size '" + std::string(name) + "'");
    for (const auto item : items_of(found->parameters)) assign(item, repetition::allowed);
  }

  void assign(std::string_view item, repetition again) {
    const auto equals = item.find('=');
    if (equals == item.npos) refuse("'" + std::string(item) + "' is not of the form name=value");
    const std::string name(item.substr(0, equals)), value(item.substr(equals + 1));
    const auto field = std::ranges::find(fields_, name, &parameter::name);
    if (field == fields_.end()) refuse("there is no parameter '" + name + "'");
    if (again == repetition::refused && !said_.insert(name).second)
      refuse("the parameter '" + name + "' is said twice");
    if (!field->try_set(value)) refuse("'" + value + "' is no value for " + name + ", which must be " + field->allowed);
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw error("size of " + std::string(workload_) + ": " + what + "; " + allowed_sizes(sizes_, fields_));
  }

  std::string_view workload_;
  std::span<const named_size> sizes_;
  std::span<const parameter> fields_;
  std::set<std::string> said_;
};

}  // namespace

parameter number(std::string name, std::uint64_t& field, number_range range, std::string meaning) {
  return number_where(std::move(name), field, text_of(range), std::move(meaning),
                      [range](std::uint64_t value) { return value >= range.lowest && value <= range.highest; });
}

parameter power_of_two(std::string name, std::uint64_t& field, number_range range, std::string meaning) {
  return number_where(std::move(name), field, "a power of two, " + text_of(range), std::move(meaning),
                      [range](std::uint64_t value) {
                        return std::has_single_bit(value) && value >= range.lowest && value <= range.highest;
                      });
}

void set_size(std::string_view workload, std::span<const named_size> sizes, std::string_view size,
              std::span<const parameter> fields) {
  size_reader(workload, sizes, fields).read(size.empty() ? "default" : size);
}

std::string text_of(std::span<const parameter> fields) {
  std::string text;
  for (const auto& field : fields) text += (text.empty() ? "" : ",") + field.name + "=" + field.text();
  return text;
}

std::vector<parameter_row> rows_of(std::span<const parameter> fields) {
  std::vector<parameter_row> rows;
  for (const auto& field : fields) rows.push_back({field.name, field.text(), field.allowed, field.meaning});
  return rows;
}

}  // namespace nearfork::workloads
