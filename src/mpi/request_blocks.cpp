#include "mpi/request_blocks.hpp"

#include <algorithm>
#include <functional>

namespace nearfork::mpi {

void request_blocks::add(awaited& one) {
  for (std::size_t i = 0; i < one.count; ++i) {
    if (one.requests[i] == MPI_REQUEST_NULL) continue;
    // MPI_Testsome passes over inactive requests, so they would never be complete there.
    MPI_Status* const status = one.statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : one.statuses + i;
    int complete = 0;
    if (const int code = MPI_Test(&one.requests[i], &complete, status); code != MPI_SUCCESS) {
      one.requests[i] = MPI_REQUEST_NULL;
      if (one.code == MPI_SUCCESS) one.code = code;
      continue;
    }
    if (complete != 0) continue;
    requests_.push_back(one.requests[i]);
    owners_.push_back({&one, i});
    ++one.left;
  }
}

void request_blocks::test_block(std::size_t first, std::size_t many) {
  hits_.clear();
  int complete = 0;
  const int code =
      MPI_Testsome(static_cast<int>(many), requests_.data() + first, &complete, indices_.data(), statuses_.data());
  if (code != MPI_SUCCESS) {
    int kind = MPI_ERR_OTHER;
    (void)MPI_Error_class(code, &kind);
    if (kind != MPI_ERR_IN_STATUS) return test_singly(first, many);
  }
  // Only inactive requests are left: they are complete, each for itself.
  if (complete == MPI_UNDEFINED) return test_singly(first, many);
  for (std::size_t i = 0; i < static_cast<std::size_t>(complete); ++i)
    hits_.push_back(
        {first + static_cast<std::size_t>(indices_[i]), i, code == MPI_SUCCESS ? MPI_SUCCESS : statuses_[i].MPI_ERROR});
  std::ranges::sort(hits_, std::greater<>(), &hit::at);
}

/// After an error that MPI did not put down to one request.
void request_blocks::test_singly(std::size_t first, std::size_t many) {
  for (std::size_t i = many; i-- > 0;) {
    int complete = 0;
    const int code = MPI_Test(&requests_[first + i], &complete, &statuses_[i]);
    if (complete != 0 || code != MPI_SUCCESS) hits_.push_back({first + i, i, code});
  }
}

awaited& request_blocks::take(std::size_t at, const MPI_Status& status, int code) {
  const owner of = owners_[at];
  awaited& wait = *of.wait;
  wait.requests[of.index] = code == MPI_SUCCESS ? requests_[at] : MPI_REQUEST_NULL;
  if (wait.statuses != MPI_STATUSES_IGNORE) wait.statuses[of.index] = status;
  if (code != MPI_SUCCESS && wait.code == MPI_SUCCESS) wait.code = code;
  --wait.left;
  requests_[at] = requests_.back();
  owners_[at] = owners_.back();
  requests_.pop_back();
  owners_.pop_back();
  return wait;
}

}  // namespace nearfork::mpi
