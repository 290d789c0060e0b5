// What the problems that sort share: the inputs of --input, and the arrays of one run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bench {

/// `size` numbers: "random", "sorted", "reversed" or "equal".
/// Throws: std::invalid_argument for another word, and for sizes that are not 1 to 2^32.
[[nodiscard]] std::vector<std::uint32_t> numbers_to_sort(std::uint64_t size, std::string_view input);
/// `size` random words of 4 to 24 letters: some lie in the string itself, some on the heap. Throws for sizes as above.
[[nodiscard]] std::vector<std::string> words_to_sort(std::uint64_t size);

/// An array that is sorted again and again.
template <class T>
class sorted_again {
 public:
  explicit sorted_again(std::vector<T> given);
  [[nodiscard]] std::vector<T>& data() { return data_; }
  /// Whether data() is sorted. Then it holds the input again.
  [[nodiscard]] bool right() {
    const bool is_right = data_ == sorted_;
    data_ = given_;
    return is_right;
  }

 private:
  std::vector<T> given_, sorted_, data_;
};

extern template class sorted_again<std::uint32_t>;
extern template class sorted_again<std::string>;

}  // namespace bench
