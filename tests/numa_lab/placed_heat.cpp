#include "numa_lab/placed_heat.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "numa_lab/every_worker.hpp"
#include "plan/plans/domain_share.hpp"
#include "workloads/grid/slab_tree.hpp"
#include "workloads/heat/heat.hpp"

namespace nearfork::lab {
namespace {

using workloads::slab_tree;

constexpr double tolerance = 1e-9;
/// Emulation makes times longer, and policies leave alone a region that has too few bytes for its time. So the region
/// declares that many times more bytes.
constexpr std::uint64_t slower_by = 100'000;

std::size_t columns() {
  return page_bytes() / sizeof(double);
}

double first_heat(std::size_t row, std::size_t column) {
  return static_cast<double>((row * 31 + column * 17) % 100);
}

void fill_row(double* cells, std::size_t row) {
  for (std::size_t column = 0; column < columns(); ++column) cells[row * columns() + column] = first_heat(row, column);
}

void compute_row(const double* from, double* to, std::size_t rows, std::size_t row) {
  if (row == 0 || row + 1 == rows) return;
  const std::size_t first = row * columns();
  workloads::heat_row(from, to, {rows, 1, columns()}, first + 1, first + columns() - 1);
}

}  // namespace

placed_heat::placed_heat(std::size_t rows)
    : rows_(rows),
      one_(rows * columns(), {.huge = huge_pages::never}),
      other_(rows * columns(), {.huge = huge_pages::never}) {}

void placed_heat::iterate(runtime& on) {
  const auto leaf = [&](std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; ++row) {
      if (iterations_ > 0) {
        compute_row(one_.data(), other_.data(), rows_, row);
      } else {
        fill_row(one_.data(), row);
        fill_row(other_.data(), row);
      }
    }
  };
  const region_options options{.name = region_name,
                               .input_bytes = slower_by * (one_.size_bytes() + other_.size_bytes())};
  on.run([&] {
    region(options, [&] { workloads::fork_slabs(slab_tree(workloads::tree_shape::regular), {0, rows_}, leaf); });
  });
  if (iterations_++ > 0) one_.swap(other_);
}

void placed_heat::touch_here() {
  for (std::size_t row = 0; row < rows_; ++row) one_[row * columns()] = other_[row * columns()] = 1;
}

std::vector<double> placed_heat::answer() const {
  std::vector<double> from(rows_ * columns());
  for (std::size_t row = 0; row < rows_; ++row) fill_row(from.data(), row);
  std::vector<double> to = from;
  for (std::size_t i = 1; i < iterations_; ++i) {
    for (std::size_t row = 0; row < rows_; ++row) compute_row(from.data(), to.data(), rows_, row);
    from.swap(to);
  }
  return from;
}

void placed_heat::check_answer(verdict& result) const {
  const std::vector<double> right = answer();
  for (std::size_t i = 0; i < right.size(); ++i)
    if (!(std::abs(one_[i] - right[i]) <= tolerance)) result.fault("cell {} is {}, not {}", i, one_[i], right[i]);
}

std::vector<page_node> placed_heat::pages() const {
  std::vector<page_node> all = nodes_of_pages(one_.data(), one_.size_bytes());
  const std::vector<page_node> rest = nodes_of_pages(other_.data(), other_.size_bytes());
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

std::vector<unsigned> first_touch_nodes(runtime& on) {
  std::mutex mutex;
  std::map<unsigned, unsigned> found;
  on_every_worker(on, [&] {
    fresh_pages page(1);
    page.touch(0);
    const std::lock_guard lock(mutex);
    found[this_worker::domain()] = page.nodes().front().value();
  });
  std::vector<unsigned> nodes;
  for (const auto& [domain, node] : found) nodes.push_back(node);
  return nodes;
}

std::vector<unsigned> planned_nodes(std::size_t pages, const std::vector<double>& borders,
                                    const std::vector<unsigned>& node_of_domain) {
  std::vector<unsigned> nodes;
  const auto all = static_cast<double>(pages);
  for (std::size_t page = 0; page < pages; ++page) {
    const auto at = static_cast<double>(page);
    nodes.push_back(node_of_domain.at(domain_with_most(borders, {at / all, (at + 1) / all})));
  }
  return nodes;
}

std::vector<unsigned> planned_nodes(const placed_heat& heat, const std::vector<double>& borders,
                                    const std::vector<unsigned>& node_of_domain) {
  std::vector<unsigned> of_one = planned_nodes(heat.rows(), borders, node_of_domain);
  std::vector<unsigned> both = of_one;
  both.insert(both.end(), of_one.begin(), of_one.end());
  return both;
}

std::size_t pages_as_planned(const std::vector<page_node>& found, const std::vector<unsigned>& planned) {
  std::size_t right = 0;
  for (std::size_t page = 0; page < found.size(); ++page)
    if (found[page] == planned.at(page)) ++right;
  return right;
}

std::string counted(const std::vector<page_node>& found) {
  std::map<page_node, std::size_t> count;
  for (const page_node& one : found) ++count[one];
  std::string text;
  for (const auto& [node, pages] : count) {
    if (!text.empty()) text += ", ";
    text += (node ? "node " + std::to_string(*node) : "nowhere") + ": " + std::to_string(pages);
  }
  return text;
}

}  // namespace nearfork::lab
