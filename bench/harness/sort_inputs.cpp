#include "bench/harness/sort_inputs.hpp"

#include <algorithm>
#include <functional>
#include <random>
#include <stdexcept>

namespace bench {
namespace {

void check(std::uint64_t size) {
  if (size < 1 || size > std::uint64_t{1} << 32) throw std::invalid_argument("a size from 1 to 2^32 is wanted");
}

std::string word(std::mt19937& random) {
  std::string letters(4 + random() % 21, 'a');
  for (char& one : letters) one = static_cast<char>('a' + random() % 26);
  return letters;
}

}  // namespace

std::vector<std::uint32_t> numbers_to_sort(std::uint64_t size, std::string_view input) {
  check(size);
  std::mt19937 random(1);
  std::vector<std::uint32_t> numbers(size);
  std::ranges::generate(numbers, random);
  if (input == "sorted") std::ranges::sort(numbers);
  else if (input == "reversed") std::ranges::sort(numbers, std::greater<>());
  else if (input == "equal") std::ranges::fill(numbers, 7U);
  else if (input != "random")
    throw std::invalid_argument("--input " + std::string(input) + ": allowed are random, sorted, reversed and equal" +
                                ", and strings where a library's own sort is compared");
  return numbers;
}

std::vector<std::string> words_to_sort(std::uint64_t size) {
  check(size);
  std::mt19937 random(1);
  std::vector<std::string> words;
  words.reserve(size);
  while (words.size() < size) words.push_back(word(random));
  return words;
}

template <class T>
sorted_again<T>::sorted_again(std::vector<T> given) : given_(std::move(given)), sorted_(given_), data_(given_) {
  std::ranges::sort(sorted_);
}

template class sorted_again<std::uint32_t>;
template class sorted_again<std::string>;

}  // namespace bench
