#include "machine/described/synthetic_attributes.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <vector>

#include <nearfork/error.hpp>

#include "base/text/number_text.hpp"

namespace nearfork {
namespace {

constexpr std::string_view digits = "0123456789";

/// No sign, no leading zero: hwloc reads 010 as 8, and -5 as 2^64 - 5.
std::optional<std::uint64_t> plain_decimal(std::string_view text) {
  return text.find('x') == text.npos ? parse_number(text, any_number) : std::nullopt;
}

/// What hwloc calls powers of 1024 and of 1000, in the same way.
constexpr unsigned shift_of_unit(char letter) {
  switch (letter) {
    case 'k':
    case 'K': return 10;
    case 'm':
    case 'M': return 20;
    case 'g':
    case 'G': return 30;
    case 't':
    case 'T': return 40;
    default: return 0;
  }
}

class attribute_reader {
 public:
  attribute_reader(std::string_view description, const std::string& quoted) : text_(description), quoted_(quoted) {}

  void read() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '[') attached_ = true;
      if (c == ']') attached_ = false;
      if (c == '(') read_attributes();
      else if (is_word(c)) read_word();
      else ++at_;
    }
  }

 private:
  static bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

  /// "l3:2", "numa" or, in a description without names, "2".
  void read_word() {
    const std::size_t end = std::min(text_.find_first_of(" ()[]", at_), text_.size());
    object_ = text_.substr(at_, end - at_);
    if (!attached_)
      if (const auto count = plain_decimal(object_.substr(object_.find(':') + 1)); count && *count > 0)
        objects_ *= static_cast<double>(*count);
    at_ = end;
  }

  void read_attributes() {
    const std::size_t end = std::min(text_.find(')', at_), text_.size());
    std::string_view rest = text_.substr(at_ + 1, end - at_ - 1);
    at_ = std::min(end + 1, text_.size());
    while (!rest.empty()) {
      const std::string_view one = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(one.size() + 1, rest.size()));
      const std::size_t equals = std::min(one.find('='), one.size() - (one.empty() ? 0 : 1));
      const std::string_view name = one.substr(0, equals);
      const std::string_view value = one.empty() ? one : one.substr(equals + 1);
      if (name == "size") read_size(one, value, {1, most_cache_bytes}, "a cache has 1 byte to 1 TiB");
      if (name == "memory") read_size(one, value, {0, most_node_bytes}, "a memory node has at most 8 PiB");
      if (name == "indexes") read_indexes(one, value);
    }
  }

  /// Whether hwloc knows the unit is left to hwloc.
  void read_size(std::string_view attribute, std::string_view value, number_range sizes, const char* allowed) {
    const bool is_hexadecimal = value.starts_with("0x");
    const std::size_t end =
        std::min(value.find_first_not_of(is_hexadecimal ? "0123456789abcdefABCDEFx" : digits), value.size());
    const auto number = parse_number(value.substr(0, end), any_number);
    const unsigned shift = end < value.size() ? shift_of_unit(value[end]) : 0;
    if (!number || *number < sizes.least || *number > sizes.most >> shift)
      refuse(attribute, std::string(allowed) + "; write it as 32MiB, or leave it out for hwloc's default");
  }

  /// A list of numbers, or a rule for hwloc: 2*4:1*2, or names of levels.
  void read_indexes(std::string_view attribute, std::string_view value) {
    const bool is_rule = value.find_first_of("*:") != value.npos ||
                         (!value.empty() && std::isalpha(static_cast<unsigned char>(value[0])) != 0);
    if (is_rule && value.find(',') == value.npos) return;
    std::vector<std::uint64_t> numbers;
    for (std::size_t at = 0; at <= value.size();) {
      const std::size_t next = std::min(value.find(',', at), value.size());
      const std::string_view written = value.substr(at, next - at);
      const auto number = plain_decimal(written);
      if (!number || *number > most_os_index)
        refuse(attribute, "\"" + std::string(written) + "\" is no decimal number from 0 to " +
                              std::to_string(most_os_index) + std::string(remark_on_number(written)) +
                              "; write indexes as 0,2,1,3");
      numbers.push_back(*number);
      at = next + 1;
    }
    if (static_cast<double>(numbers.size()) != objects_)
      refuse(attribute, "there are " + std::to_string(static_cast<std::uint64_t>(objects_)) +
                            " such objects, and each needs its own index");
    refuse_pus_twice(numbers);
  }

  /// hwloc leaves out PUs that have the number of another one. PUs are the last level. Cores may have equal numbers,
  /// and the reader of machines refuses equal nodes.
  void refuse_pus_twice(std::vector<std::uint64_t> numbers) const {
    if (attached_ || text_.find_first_not_of(' ', at_) != text_.npos) return;
    std::ranges::sort(numbers);
    if (const auto twice = std::ranges::adjacent_find(numbers); twice != numbers.end())
      throw error("nearfork: the synthetic machine " + quoted_ + " has two PUs of the index " + std::to_string(*twice) +
                  "; each needs its own");
  }

  [[noreturn]] void refuse(std::string_view attribute, const std::string& why) const {
    throw error("nearfork: the synthetic machine " + quoted_ + " says " + std::string(object_) + "(" +
                std::string(attribute) + "): " + why);
  }

  std::string_view text_;
  const std::string& quoted_;
  std::size_t at_ = 0;
  bool attached_ = false;    // between [ and ]
  std::string_view object_;  // whose attributes follow
  double objects_ = 1;       // on the level so far; require_small() bounds it
};

}  // namespace

void require_plain_attributes(std::string_view description, const std::string& quoted) {
  attribute_reader(description, quoted).read();
}

}  // namespace nearfork
