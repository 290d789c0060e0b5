// The ranks of mpirun among which a campaign of simulations is shared.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nearfork::tools {

class rank_exchange {
 public:
  rank_exchange() = default;
  rank_exchange(const rank_exchange&) = delete;
  rank_exchange& operator=(const rank_exchange&) = delete;
  virtual ~rank_exchange() = default;

  [[nodiscard]] virtual int rank() const noexcept = 0;
  [[nodiscard]] virtual int ranks() const noexcept = 0;
  /// By all ranks. Rank 0 gets what each gave, by rank; the others nothing. Throws: nearfork::error.
  [[nodiscard]] virtual std::vector<std::string> gathered(const std::string& mine) = 0;
};

/// Which MPI's launcher has started this process beside others: "openmpi" or "mpich". nullopt: none has. `variable`:
/// the value of a variable of the environment, or nullptr.
[[nodiscard]] std::optional<std::string> launcher_from(const std::function<const char*(const char*)>& variable);

/// Among the ranks that a launcher started together with this process; nullptr: it runs alone. MPI comes from a library
/// beside the command, because the command itself works without MPI.
/// Throws: nearfork::error if there is no such library, or MPI does not start.
[[nodiscard]] std::unique_ptr<rank_exchange> exchange_among_ranks();

}  // namespace nearfork::tools
