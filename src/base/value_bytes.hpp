// Values as bytes, from one process to another of the same build, so this is no file format: numbers, strings, vectors,
// optionals, arrays, and structs of these, member by member. A member that is added to a struct is carried without a
// change here; one of another type does not compile.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <nearfork/error.hpp>

namespace nearfork {

namespace value_parts {

struct anything {
  template <class T>
  operator T() const;  // never defined
};

template <class T, std::size_t... Is>
consteval bool takes(std::index_sequence<Is...>) {
  return requires { T{(static_cast<void>(Is), anything{})...}; };
}
/// How many members an aggregate has.
template <class T, std::size_t N = 24>
consteval std::size_t members() {
  static_assert(N > 0);
  if constexpr (takes<T>(std::make_index_sequence<N>())) return N;
  else return members<T, N - 1>();
}

/// The members of an aggregate, as references.
template <class T>
constexpr auto tied(T& of) {
  constexpr std::size_t n = members<std::remove_const_t<T>>();
  static_assert(n <= 24);
#define NEARFORK_TIED(count, ...) \
  if constexpr (n == count) {     \
    auto& [__VA_ARGS__] = of;     \
    return std::tie(__VA_ARGS__); \
  } else
  NEARFORK_TIED(1, a)
  NEARFORK_TIED(2, a, b)
  NEARFORK_TIED(3, a, b, c)
  NEARFORK_TIED(4, a, b, c, d)
  NEARFORK_TIED(5, a, b, c, d, e)
  NEARFORK_TIED(6, a, b, c, d, e, f)
  NEARFORK_TIED(7, a, b, c, d, e, f, g)
  NEARFORK_TIED(8, a, b, c, d, e, f, g, h)
  NEARFORK_TIED(9, a, b, c, d, e, f, g, h, i)
  NEARFORK_TIED(10, a, b, c, d, e, f, g, h, i, j)
  NEARFORK_TIED(11, a, b, c, d, e, f, g, h, i, j, k)
  NEARFORK_TIED(12, a, b, c, d, e, f, g, h, i, j, k, l)
  NEARFORK_TIED(13, a, b, c, d, e, f, g, h, i, j, k, l, m)
  NEARFORK_TIED(14, a, b, c, d, e, f, g, h, i, j, k, l, m, o)
  NEARFORK_TIED(15, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p)
  NEARFORK_TIED(16, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q)
  NEARFORK_TIED(17, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r)
  NEARFORK_TIED(18, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s)
  NEARFORK_TIED(19, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t)
  NEARFORK_TIED(20, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u)
  NEARFORK_TIED(21, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v)
  NEARFORK_TIED(22, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w)
  NEARFORK_TIED(23, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, x)
  NEARFORK_TIED(24, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, x, y) return std::tuple<>();
#undef NEARFORK_TIED
}

template <class T>
inline constexpr bool is_plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;
template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;
template <>
inline constexpr bool is_list<std::string> = true;
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
/// What is not carried: the reader's stays as it is.
template <class T>
inline constexpr bool is_left_out = false;
template <class T>
inline constexpr bool is_array = false;
template <class T, std::size_t N>
inline constexpr bool is_array<std::array<T, N>> = true;

}  // namespace value_parts

class value_writer {
 public:
  template <class T>
  void add(const T& value) {
    namespace parts = value_parts;
    if constexpr (parts::is_left_out<T>) {
    } else if constexpr (std::is_same_v<T, std::string_view>) {
      add(std::string(value));
    } else if constexpr (parts::is_plain<T>) {
      bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    } else if constexpr (parts::is_list<T>) {
      add(value.size());
      for (const auto& one : value) add(one);
    } else if constexpr (parts::is_optional<T>) {
      add(value.has_value());
      if (value) add(*value);
    } else if constexpr (parts::is_array<T>) {
      for (const auto& one : value) add(one);
    } else {
      std::apply([this](const auto&... one) { (this->add(one), ...); }, parts::tied(value));
    }
  }
  [[nodiscard]] std::string taken() && { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class value_reader {
 public:
  explicit value_reader(std::string_view bytes) : left_(bytes) {}

  /// Throws: nearfork::error if there are too few bytes.
  template <class T>
  void read(T& into) {
    namespace parts = value_parts;
    if constexpr (parts::is_left_out<T>) {
    } else if constexpr (std::is_same_v<T, std::string_view>) {
      std::string text;
      read(text);
      into = kept(text);
    } else if constexpr (parts::is_plain<T>) {
      expect(sizeof into);
      std::copy_n(left_.begin(), sizeof into, reinterpret_cast<char*>(&into));
      left_.remove_prefix(sizeof into);
    } else if constexpr (parts::is_list<T>) {
      std::size_t size = 0;
      read(size);
      expect(size);  // an element has a byte at least
      into.resize(size);
      for (auto& one : into) read(one);
    } else if constexpr (parts::is_optional<T>) {
      bool has = false;
      read(has);
      into.reset();
      if (has) read(into.emplace());
    } else if constexpr (parts::is_array<T>) {
      for (auto& one : into) read(one);
    } else {
      std::apply([this](auto&... one) { (this->read(one), ...); }, parts::tied(into));
    }
  }
  [[nodiscard]] bool at_end() const noexcept { return left_.empty(); }

 private:
  /// For views of literals: there are few, and they stay until the end of the process.
  static std::string_view kept(const std::string& text) {
    static std::mutex one_at_a_time;
    static std::set<std::string> all;
    const std::lock_guard held(one_at_a_time);
    return *all.insert(text).first;
  }
  void expect(std::size_t bytes) const {
    if (left_.size() < bytes) throw error("nearfork: the bytes of a value are cut short");
  }
  std::string_view left_;
};

template <class T>
[[nodiscard]] std::string bytes_of_value(const T& value) {
  value_writer made;
  made.add(value);
  return std::move(made).taken();
}

/// Throws: nearfork::error if the bytes end too early.
template <class T>
[[nodiscard]] T value_of_bytes(std::string_view bytes) {
  T made{};
  value_reader(bytes).read(made);
  return made;
}

}  // namespace nearfork
