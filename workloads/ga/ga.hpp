// A genetic algorithm by the island model: populations evolve separately, and after each iteration the best of every
// island moves to the next island. Minimizes Rastrigin's function.
#pragma once

#include <cstddef>
#include <vector>

#include "workloads/ga/island.hpp"
#include "workloads/instance.hpp"
#include "workloads/workload.hpp"

namespace nearfork::workloads {

struct ga_size {
  std::uint64_t islands;
  std::uint64_t population;
  std::uint64_t genes;
  std::uint64_t generations;
  std::uint64_t iterations;
};

class ga_instance final : public instance {
 public:
  ga_instance(const ga_size& size, std::uint64_t seed);
  [[nodiscard]] static std::uint64_t bytes(const ga_size& size);

  void reset() override;
  void run_serial() override;
  void run_nearfork() override;
  [[nodiscard]] std::string fault() const override;
  void corrupt(std::uint64_t where) override;

  [[nodiscard]] std::size_t islands() const noexcept { return islands_.size(); }
  void evolve_one(std::size_t i) { evolve(islands_[i], size_.generations); }

  /// Runs all iterations. evolve_all() must call evolve_one for every island.
  template <class EvolveAll>
  void iterate(EvolveAll&& evolve_all) {
    for (std::uint64_t i = 0; i < size_.iterations; ++i) {
      evolve_all();
      migrate();
    }
  }

 private:
  void migrate();

  ga_size size_;
  std::uint64_t seed_;
  std::vector<island> islands_;
  std::vector<island> right_;
  double start_cost_ = 0;
};

[[nodiscard]] workload ga_workload();

}  // namespace nearfork::workloads
