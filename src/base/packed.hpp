// Values as bytes, from a child process to its parent. The same program reads what it wrote, so this is no file format.
//
// Knows numbers, enumerations, strings, vectors and optionals. A struct lists its members by a function fields() beside
// it, which returns a tuple of references.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <nearfork/error.hpp>

namespace nearfork {
namespace packing {

template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

}  // namespace packing

class byte_packer {
 public:
  template <class T>
  void put(const T& value) {
    if constexpr (packing::is_plain<T>) {
      bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      put(value.size());
      bytes_ += value;
    } else if constexpr (packing::is_vector<T>) {
      put(value.size());
      for (const auto& one : value) put(one);
    } else if constexpr (packing::is_optional<T>) {
      put(value.has_value());
      if (value) put(*value);
    } else {
      std::apply([this](const auto&... field) { (this->put(field), ...); }, fields(value));
    }
  }
  [[nodiscard]] std::string take() && { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Throws: nearfork::error if the bytes end too early.
class byte_unpacker {
 public:
  explicit byte_unpacker(std::string_view bytes) : rest_(bytes) {}

  template <class T>
  void get(T& value) {
    if constexpr (packing::is_plain<T>) {
      next(sizeof value).copy(reinterpret_cast<char*>(&value), sizeof value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      value = next(count());
    } else if constexpr (packing::is_vector<T>) {
      value.clear();
      for (std::size_t left = count(); left > 0; --left) get(value.emplace_back());
    } else if constexpr (packing::is_optional<T>) {
      bool is_there = false;
      get(is_there);
      value.reset();
      if (is_there) get(value.emplace());
    } else {
      std::apply([this](auto&... field) { (this->get(field), ...); }, fields(value));
    }
  }

 private:
  std::string_view next(std::size_t bytes) {
    if (bytes > rest_.size()) throw error("nearfork: the answer of a child process is cut off");
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }
  std::size_t count() {
    std::size_t made = 0;
    get(made);
    return made;
  }

  std::string_view rest_;
};

template <class T>
[[nodiscard]] std::string packed(const T& value) {
  byte_packer made;
  made.put(value);
  return std::move(made).take();
}

template <class T>
[[nodiscard]] T unpacked(std::string_view bytes) {
  T value;
  byte_unpacker(bytes).get(value);
  return value;
}

}  // namespace nearfork
