#include "workloads/ga/island.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace nearfork::workloads {
namespace {

constexpr double widest = 5.12;
constexpr double mutation_chance = 0.1;
constexpr double mutation_width = 0.5;

const individual& winner_of_tournament(island& where) {
  const individual& a = where.people[where.numbers.below(where.people.size())];
  const individual& b = where.people[where.numbers.below(where.people.size())];
  return a.cost <= b.cost ? a : b;
}

double mixed(double a, double b, input_numbers& numbers) {
  const double gene = a + numbers.unit() * (b - a);
  if (numbers.unit() >= mutation_chance) return gene;
  return std::clamp(gene + numbers.between(-mutation_width, mutation_width), -widest, widest);
}

void beget(island& where, individual& child) {
  const individual& mother = winner_of_tournament(where);
  const individual& father = winner_of_tournament(where);
  for (std::size_t i = 0; i < child.genes.size(); ++i)
    child.genes[i] = mixed(mother.genes[i], father.genes[i], where.numbers);
  child.cost = rastrigin(child.genes);
}

}  // namespace

island::island(std::uint64_t seed, std::uint64_t population, std::uint64_t genes) : numbers(seed), people(population) {
  for (individual& one : people) {
    one.genes.resize(genes);
    for (double& gene : one.genes) gene = numbers.between(-widest, widest);
    one.cost = rastrigin(one.genes);
  }
  children = people;
}

const individual& island::best() const {
  return *std::ranges::min_element(people, {}, &individual::cost);
}

individual& island::worst() {
  return *std::ranges::max_element(people, {}, &individual::cost);
}

double rastrigin(const std::vector<double>& genes) noexcept {
  double cost = 0;
  for (const double gene : genes) cost += 10 + gene * gene - 10 * std::cos(2 * std::numbers::pi * gene);
  return cost;
}

void evolve(island& where, std::uint64_t generations) {
  for (std::uint64_t i = 0; i < generations; ++i) {
    where.children.front() = where.best();
    for (std::size_t child = 1; child < where.children.size(); ++child) beget(where, where.children[child]);
    where.people.swap(where.children);
  }
}

}  // namespace nearfork::workloads
