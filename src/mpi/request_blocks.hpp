// The requests that tasks wait for, as MPI_Testsome wants them: in blocks, not one by one.
#pragma once

#include <cstddef>
#include <vector>

#include "mpi/awaited.hpp"

namespace nearfork::mpi {

class request_blocks {
 public:
  /// How many requests one call of MPI_Testsome tests. Measured with 10,000 pending requests: docs/MPI.md.
  static constexpr std::size_t block = 1024;

  /// Takes the requests of a wait for all that are not complete; there may be none (`left` is 0). May throw
  /// std::bad_alloc.
  void add(awaited& one);
  /// Tests all requests once. done(awaited&): all requests of the wait are complete. lock(): what is held during a
  /// call.
  template <class Lock, class Done>
  bool test(Lock&& lock, Done&& done);
  /// Forgets all.
  void clear() noexcept {
    requests_.clear();
    owners_.clear();
  }
  [[nodiscard]] std::size_t size() const noexcept { return requests_.size(); }

 private:
  struct owner {
    awaited* wait;
    std::size_t index;
  };

  /// One MPI_Testsome over requests from `first` on. Sets hits_ to the complete ones, with their codes in statuses_.
  void test_block(std::size_t first, std::size_t many);
  void test_singly(std::size_t first, std::size_t many);
  /// Takes out the request at `at`, which is complete. Returns its wait.
  awaited& take(std::size_t at, const MPI_Status& status, int code);

  struct hit {
    std::size_t at;
    std::size_t status;
    int code;
  };

  std::vector<MPI_Request> requests_;
  std::vector<owner> owners_;  // of each request
  std::vector<hit> hits_;
  std::vector<int> indices_ = std::vector<int>(block);
  std::vector<MPI_Status> statuses_ = std::vector<MPI_Status>(block);
};

template <class Lock, class Done>
bool request_blocks::test(Lock&& lock, Done&& done) {
  bool any = false;
  for (std::size_t first = 0; first < requests_.size(); first += block) {
    const std::size_t many = requests_.size() - first < block ? requests_.size() - first : block;
    {
      const auto held = lock();
      test_block(first, many);
    }
    // From the back: the last request of all fills a gap, and those after a gap are tested already.
    for (const hit& one : hits_) {
      any = true;
      awaited& wait = take(one.at, statuses_[one.status], one.code);
      if (wait.left == 0) done(wait);
    }
  }
  return any;
}

}  // namespace nearfork::mpi
