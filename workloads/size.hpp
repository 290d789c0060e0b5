// The size of a workload: a few named numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nearfork::workloads {

/// One number of a size.
struct size_field {
  std::string_view name;
  std::string_view meaning;
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  bool of_made_graph = false;  // describes a graph that is generated, so says nothing of one that is given
};

/// One number per field.
using size_values = std::vector<std::uint64_t>;

struct named_size {
  std::string_view name;
  size_values values;
};

/// The sizes that a workload may have. Each workload has a "default", a "small" (at most a tenth of a second) and a
/// "test" size (milliseconds, also under sanitizers).
struct size_rules {
  std::vector<size_field> fields;
  std::vector<named_size> named;

  [[nodiscard]] bool has_field(std::string_view name) const;
  [[nodiscard]] const size_values& named_values(std::string_view name) const;
};

/// "rows=1024 columns=512 iterations=200".
[[nodiscard]] std::string size_text(const size_rules& rules, const size_values& values);

/// The rules of a workload whose size is a struct. The fields are its members.
template <class Size>
struct size_table {
  struct member {
    std::uint64_t Size::* number;
    size_field field;
  };
  struct named {
    std::string_view name;
    Size size;
  };
  std::vector<member> members;
  std::vector<named> sizes;

  [[nodiscard]] size_rules rules() const {
    size_rules made;
    for (const member& one : members) made.fields.push_back(one.field);
    for (const named& one : sizes) made.named.push_back({one.name, values_of(one.size)});
    return made;
  }
  [[nodiscard]] size_values values_of(const Size& size) const {
    size_values values;
    for (const member& one : members) values.push_back(size.*one.number);
    return values;
  }
  [[nodiscard]] Size from(const size_values& values) const {
    Size size{};
    for (std::size_t i = 0; i < members.size(); ++i) size.*members[i].number = values.at(i);
    return size;
  }
};

}  // namespace nearfork::workloads
