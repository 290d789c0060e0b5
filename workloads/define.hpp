// Makes a workload out of its size struct and its problem class.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "workloads/parameters.hpp"
#include "workloads/workload.hpp"

namespace nearfork::workloads {

/// What a workload's own file says about it.
struct definition {
  std::string name;
  std::string description;
  std::vector<named_size> sizes;
  std::vector<contender> contenders;
};

/// Problem is made from its Problem::size, a struct for which parameters_of(size&) and bytes_of(const size&) exist.
template <class Problem>
[[nodiscard]] workload define(definition given) {
  using size_type = typename Problem::size;
  auto choose = [name = given.name, sizes = given.sizes](std::string_view text) {
    size_type chosen;
    const auto fields = parameters_of(chosen);
    set_size(name, sizes, text, fields);
    return sizing{.parameters = text_of(fields), .bytes = bytes_of(chosen), .prepare = [chosen] {
                    return std::make_unique<Problem>(chosen);
                  }};
  };
  size_type defaults;
  const auto fields = parameters_of(defaults);
  set_size(given.name, given.sizes, "default", fields);
  return {.name = std::move(given.name),
          .description = std::move(given.description),
          .sizes = std::move(given.sizes),
          .parameters = rows_of(fields),
          .choose = std::move(choose),
          .contenders = std::move(given.contenders)};
}

/// A contender that is a function of the problem alone.
template <class Problem>
[[nodiscard]] contender contender_of(std::string name, library threads, void (*run)(Problem&)) {
  return {std::move(name), threads, [run](problem& posed, unsigned) { run(static_cast<Problem&>(posed)); }};
}

/// One that must be told how many threads to use.
template <class Problem>
[[nodiscard]] contender contender_of(std::string name, library threads, void (*run)(Problem&, unsigned workers)) {
  return {std::move(name), threads,
          [run](problem& posed, unsigned workers) { run(static_cast<Problem&>(posed), workers); }};
}

}  // namespace nearfork::workloads
