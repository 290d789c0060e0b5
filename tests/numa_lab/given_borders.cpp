#include "numa_lab/given_borders.hpp"

#include <numeric>
#include <string_view>
#include <utility>

#include "machine/model/machine.hpp"
#include "plan/plans/policy.hpp"
#include "plan/policies/locality_orders.hpp"

namespace nearfork::lab {
namespace {

class given_borders final : public policy {
 public:
  explicit given_borders(changing_borders borders) : borders_(std::move(borders)) {}
  std::string_view name() const override { return "given borders"; }
  policy_needs needs() const override { return {.profile = true}; }
  plan first(const machine&, const region_facts&) const override {
    return plan(placement_rule{.domain_borders = *borders_->load()});
  }
  plan next(const machine& on, const profile&, const plan&) const override { return first(on, {}); }
  search_order order(const machine&, phase) const override { return home_order(); }

 private:
  const changing_borders borders_;
};

}  // namespace

share_list borders_of(const share_weights& weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  share_list borders{0};
  double before = 0;
  for (const double one : weights) borders.push_back((before += one) / sum);
  borders.back() = 1;
  return borders;
}

std::unique_ptr<scheduler> scheduler_with(const config& settings, changing_borders borders) {
  return std::make_unique<scheduler>(settings, live_machine(), std::make_unique<given_borders>(std::move(borders)));
}

}  // namespace nearfork::lab
