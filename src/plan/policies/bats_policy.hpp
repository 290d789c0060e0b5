// Two kinds of memory: Zhao et al., "Bandwidth and Locality Aware Task-stealing for Manycore Architectures with
// Bandwidth-asymmetric Memory" (ACM TACO 15, 2018).
//
// Data are spread over all memory nodes by bandwidth. In the profiling iteration it is gauged how hot they are, and hot
// chunks move until each node has as many accesses as its bandwidth stands for. Then subgraphs, each with enough tasks
// for a domain, run in one domain after the other until it is known where most of their accesses are local; there they
// stay. Workers without work take what lies near, then what no domain has near, and other domains' subgraphs last.
//
// Moves are made while all is stolen at random, and are undone if iterations become no faster (data_course.hpp);
// subgraphs look for homes only when that is known.
//
// The variants leave parts out: `bats-nh` spreads data evenly, `bats-nb` moves nothing, `bats-nl` has no homes;
// `bats-h`, `bats-b` and `bats-l` have only one of the three. Two more are ours: under `bats-best` a subgraph tries all
// domains and keeps the best, not the first that has most of its accesses; under `bats-domain` the nodes of a domain
// hold data side by side, so one domain can have both.
#pragma once

#include <string_view>
#include <vector>

#include "plan/packing/locating.hpp"
#include "plan/plans/policy.hpp"
#include "plan/traffic/node_parts.hpp"

namespace nearfork {

class bats_policy final : public policy {
 public:
  struct parts_used {
    bool by_bandwidth = false;
    bool balanced = false;
    bool located = false;
  };
  /// `name`: a string literal.
  bats_policy(std::string_view name, parts_used used, locate_rule rule = locate_rule::first,
              node_order order = node_order::system) noexcept
      : name_(name), used_(used), rule_(rule), node_order_(order) {}

  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] policy_needs needs() const override {
    return {
        .pinned_workers = true, .profile = used_.balanced || used_.located, .all_data = true, .heat = used_.balanced};
  }
  [[nodiscard]] plan first(const machine& where, const region_facts& facts) const override;
  [[nodiscard]] plan next(const machine& where, const profile& measured, const plan& previous) const override;
  [[nodiscard]] search_order order(const machine& where, phase now) const override;

 private:
  [[nodiscard]] plan placed(const machine& where) const;
  void move_hot_chunks(const machine& where, const gauging& seen, plan& to) const;
  [[nodiscard]] std::vector<subgraph_home> homes_of(const machine& where, const profile& measured,
                                                    const packing& subgraphs, const data_parts& placed) const;
  [[nodiscard]] plan with_homes(const machine& where, const profile& measured, plan placed) const;

  std::string_view name_;
  parts_used used_;
  locate_rule rule_;
  node_order node_order_;
};

}  // namespace nearfork
