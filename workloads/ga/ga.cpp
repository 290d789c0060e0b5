#include "workloads/ga/ga.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <nearfork/parallel_for.hpp>
#include <nearfork/region.hpp>

namespace nearfork::workloads {
namespace {

const size_table<ga_size>& ga_sizes() {
  static const size_table<ga_size> table{
      {{&ga_size::islands, {"islands", "populations, one task each", 1, 1 << 20}},
       {&ga_size::population, {"population", "individuals per island", 2, 1 << 20}},
       {&ga_size::genes, {"genes", "numbers per individual", 1, 1 << 16}},
       {&ga_size::generations, {"generations", "per island and iteration", 1, 1'000'000}},
       {&ga_size::iterations, {"iterations", "times that the islands exchange their best", 1, 1'000'000}}},
      {{"default", {32, 64, 16, 10, 20}}, {"small", {16, 32, 16, 5, 5}}, {"test", {5, 8, 6, 3, 4}}}};
  return table;
}

double total_cost(const std::vector<island>& islands) {
  double sum = 0;
  for (const island& one : islands) sum += one.best().cost;
  return sum;
}

std::string difference_of(const individual& answer, const individual& right) {
  char text[128];
  for (std::size_t gene = 0; gene < right.genes.size(); ++gene) {
    // Bit for bit, because the operations and their order are the same.
    if (answer.genes[gene] == right.genes[gene]) continue;
    std::snprintf(text, sizeof text, "gene %zu is %.17g, should be %.17g", gene, answer.genes[gene], right.genes[gene]);
    return text;
  }
  // The cost by another formula: 10 - 10 cos(2a) = 20 sin
  // 2(a).
  double cost = 0;
  for (const double gene : answer.genes) cost += gene * gene + 20 * std::pow(std::sin(std::acos(-1.0) * gene), 2);
  if (std::abs(answer.cost - cost) <= 1e-9 * (1 + cost)) return {};
  std::snprintf(text, sizeof text, "cost is %.17g, should be %.17g", answer.cost, cost);
  return text;
}

}  // namespace

ga_instance::ga_instance(const ga_size& size, std::uint64_t seed) : size_(size), seed_(seed) {
  reset();
  start_cost_ = total_cost(islands_);
  run_serial();
  right_ = islands_;
  reset();
}

std::uint64_t ga_instance::bytes(const ga_size& size) {
  const std::uint64_t person = sizeof(individual) + size.genes * sizeof(double) + 16;
  return 2 * size.islands * (sizeof(island) + 2 * size.population * person);
}

void ga_instance::reset() {
  input_numbers seeds(seed_);
  islands_.clear();
  for (std::uint64_t i = 0; i < size_.islands; ++i) islands_.emplace_back(seeds.next(), size_.population, size_.genes);
}

void ga_instance::run_serial() {
  iterate([&] {
    for (std::size_t i = 0; i < islands(); ++i) evolve_one(i);
  });
}

void ga_instance::run_nearfork() {
  run([&] {
    for (std::uint64_t i = 0; i < size_.iterations; ++i)
      region("ga", [&] {
        parallel_for(std::size_t{0}, islands(), [&](std::size_t one) { evolve_one(one); }, {.grain = 1});
        migrate();
      });
  });
}

/// Around the ring. All leaving individuals are copied before any arrives.
void ga_instance::migrate() {
  std::vector<individual> travellers;
  for (const island& one : islands_) travellers.push_back(one.best());
  for (std::size_t i = 0; i < islands(); ++i) islands_[(i + 1) % islands()].worst() = travellers[i];
}

std::string ga_instance::fault() const {
  for (std::size_t i = 0; i < right_.size(); ++i)
    for (std::size_t person = 0; person < right_[i].people.size(); ++person) {
      const std::string found = difference_of(islands_[i].people[person], right_[i].people[person]);
      if (!found.empty())
        return "island " + std::to_string(i) + ", individual " + std::to_string(person) + ": " + found;
    }
  if (total_cost(islands_) > start_cost_) return "the best individuals became worse, though each island keeps its best";
  return {};
}

void ga_instance::corrupt(std::uint64_t where) {
  island& one = islands_[where % islands_.size()];
  individual& person = one.people[where / 7 % one.people.size()];
  double& gene = person.genes[where / 11 % person.genes.size()];
  gene = std::nextafter(gene, 10);
}

workload ga_workload() {
  return workload_of<ga_instance>("ga", "genetic algorithm after the island model, one task per island", ga_sizes());
}

}  // namespace nearfork::workloads
