#include "tools/reproduce/paper_figures.hpp"

#include <algorithm>

namespace nearfork::tools {
namespace {

using enum paper_metric;

constexpr paper_figure acab[] = {
    {"A-CAB, Table 2", "ge", "random", l1_misses, 60.8},      {"A-CAB, Table 2", "ge", "random", l2_misses, 58.8},
    {"A-CAB, Table 2", "ge", "random", l3_misses, 14.5},      {"A-CAB, Table 2", "ge", "acab", l1_misses, 53.9},
    {"A-CAB, Table 2", "ge", "acab", l2_misses, 50.3},        {"A-CAB, Table 2", "ge", "acab", l3_misses, 2.94},
    {"A-CAB, Table 2", "ge-ir", "random", l1_misses, 37.2},   {"A-CAB, Table 2", "ge-ir", "random", l2_misses, 37.1},
    {"A-CAB, Table 2", "ge-ir", "random", l3_misses, 10.7},   {"A-CAB, Table 2", "ge-ir", "acab", l1_misses, 23.9},
    {"A-CAB, Table 2", "ge-ir", "acab", l2_misses, 20},       {"A-CAB, Table 2", "ge-ir", "acab", l3_misses, 2.15},
    {"A-CAB, Table 2", "heat", "random", l1_misses, 82.7},    {"A-CAB, Table 2", "heat", "random", l2_misses, 79.6},
    {"A-CAB, Table 2", "heat", "random", l3_misses, 24.8},    {"A-CAB, Table 2", "heat", "acab", l1_misses, 71.1},
    {"A-CAB, Table 2", "heat", "acab", l2_misses, 67.5},      {"A-CAB, Table 2", "heat", "acab", l3_misses, 5.9},
    {"A-CAB, Table 2", "heat-ir", "random", l1_misses, 82.2}, {"A-CAB, Table 2", "heat-ir", "random", l2_misses, 78.7},
    {"A-CAB, Table 2", "heat-ir", "random", l3_misses, 29.7}, {"A-CAB, Table 2", "heat-ir", "acab", l1_misses, 71.3},
    {"A-CAB, Table 2", "heat-ir", "acab", l2_misses, 67.6},   {"A-CAB, Table 2", "heat-ir", "acab", l3_misses, 3.72},
    {"A-CAB, Table 2", "sor", "random", l1_misses, 88.5},     {"A-CAB, Table 2", "sor", "random", l2_misses, 85},
    {"A-CAB, Table 2", "sor", "random", l3_misses, 29.6},     {"A-CAB, Table 2", "sor", "acab", l1_misses, 70.7},
    {"A-CAB, Table 2", "sor", "acab", l2_misses, 66.2},       {"A-CAB, Table 2", "sor", "acab", l3_misses, 4.75},
    {"A-CAB, Table 2", "sor-ir", "random", l1_misses, 89.8},  {"A-CAB, Table 2", "sor-ir", "random", l2_misses, 85.5},
    {"A-CAB, Table 2", "sor-ir", "random", l3_misses, 30.7},  {"A-CAB, Table 2", "sor-ir", "acab", l1_misses, 73.6},
    {"A-CAB, Table 2", "sor-ir", "acab", l2_misses, 67.4},    {"A-CAB, Table 2", "sor-ir", "acab", l3_misses, 8.27},
};

constexpr paper_figure laws[] = {
    {"LAWS, Table 2", "heat", "random", l3_misses, 572},
    {"LAWS, Table 2", "heat-ir", "random", l3_misses, 574},
    {"LAWS, Table 2", "sor", "random", l3_misses, 1151},
    {"LAWS, Table 2", "sor-ir", "random", l3_misses, 1013},
    {"LAWS, Table 2", "ge", "random", l3_misses, 220.3},
    {"LAWS, Table 2", "ge-ir", "random", l3_misses, 230.1},
    {"LAWS, Table 2", "6p", "random", l3_misses, 2518},
    {"LAWS, Table 2", "6p-ir", "random", l3_misses, 2543},
    {"LAWS, Table 2", "9p", "random", l3_misses, 573.2},
    {"LAWS, Table 2", "9p-ir", "random", l3_misses, 577},
    {"LAWS, Table 2", "25p", "random", l3_misses, 2484},
    {"LAWS, Table 2", "25p-ir", "random", l3_misses, 2477},
    {"LAWS, Table 2", "heat", "cats", l3_misses, 531},
    {"LAWS, Table 2", "heat-ir", "cats", l3_misses, 541.8},
    {"LAWS, Table 2", "sor", "cats", l3_misses, 1070},
    {"LAWS, Table 2", "sor-ir", "cats", l3_misses, 886},
    {"LAWS, Table 2", "ge", "cats", l3_misses, 147.4},
    {"LAWS, Table 2", "ge-ir", "cats", l3_misses, 113.3},
    {"LAWS, Table 2", "6p", "cats", l3_misses, 2420},
    {"LAWS, Table 2", "6p-ir", "cats", l3_misses, 2361},
    {"LAWS, Table 2", "9p", "cats", l3_misses, 539.1},
    {"LAWS, Table 2", "9p-ir", "cats", l3_misses, 469.2},
    {"LAWS, Table 2", "25p", "cats", l3_misses, 2383},
    {"LAWS, Table 2", "25p-ir", "cats", l3_misses, 2372},
    {"LAWS, Table 2", "heat", "laws", l3_misses, 462},
    {"LAWS, Table 2", "heat-ir", "laws", l3_misses, 504.5},
    {"LAWS, Table 2", "sor", "laws", l3_misses, 1005},
    {"LAWS, Table 2", "sor-ir", "laws", l3_misses, 876},
    {"LAWS, Table 2", "ge", "laws", l3_misses, 29.1},
    {"LAWS, Table 2", "ge-ir", "laws", l3_misses, 28.7},
    {"LAWS, Table 2", "6p", "laws", l3_misses, 2375},
    {"LAWS, Table 2", "6p-ir", "laws", l3_misses, 2345},
    {"LAWS, Table 2", "9p", "laws", l3_misses, 504.5},
    {"LAWS, Table 2", "9p-ir", "laws", l3_misses, 446.03},
    {"LAWS, Table 2", "25p", "laws", l3_misses, 2340},
    {"LAWS, Table 2", "25p-ir", "laws", l3_misses, 2354},
    {"LAWS, Table 2", "heat", "random", local_accesses, 16.1},
    {"LAWS, Table 2", "heat-ir", "random", local_accesses, 17.2},
    {"LAWS, Table 2", "sor", "random", local_accesses, 32.8},
    {"LAWS, Table 2", "sor-ir", "random", local_accesses, 29},
    {"LAWS, Table 2", "ge", "random", local_accesses, 6.1},
    {"LAWS, Table 2", "ge-ir", "random", local_accesses, 5.64},
    {"LAWS, Table 2", "6p", "random", local_accesses, 81.5},
    {"LAWS, Table 2", "6p-ir", "random", local_accesses, 74.4},
    {"LAWS, Table 2", "9p", "random", local_accesses, 17.2},
    {"LAWS, Table 2", "9p-ir", "random", local_accesses, 15.3},
    {"LAWS, Table 2", "25p", "random", local_accesses, 83.2},
    {"LAWS, Table 2", "25p-ir", "random", local_accesses, 81.5},
    {"LAWS, Table 2", "heat", "cats", local_accesses, 21.3},
    {"LAWS, Table 2", "heat-ir", "cats", local_accesses, 18.6},
    {"LAWS, Table 2", "sor", "cats", local_accesses, 41.4},
    {"LAWS, Table 2", "sor-ir", "cats", local_accesses, 30.4},
    {"LAWS, Table 2", "ge", "cats", local_accesses, 4.5},
    {"LAWS, Table 2", "ge-ir", "cats", local_accesses, 3.58},
    {"LAWS, Table 2", "6p", "cats", local_accesses, 100.5},
    {"LAWS, Table 2", "6p-ir", "cats", local_accesses, 97.3},
    {"LAWS, Table 2", "9p", "cats", local_accesses, 21.9},
    {"LAWS, Table 2", "9p-ir", "cats", local_accesses, 19.3},
    {"LAWS, Table 2", "25p", "cats", local_accesses, 90.6},
    {"LAWS, Table 2", "25p-ir", "cats", local_accesses, 85.8},
    {"LAWS, Table 2", "heat", "laws", local_accesses, 25.8},
    {"LAWS, Table 2", "heat-ir", "laws", local_accesses, 27.5},
    {"LAWS, Table 2", "sor", "laws", local_accesses, 57.1},
    {"LAWS, Table 2", "sor-ir", "laws", local_accesses, 39.3},
    {"LAWS, Table 2", "ge", "laws", local_accesses, 0.65},
    {"LAWS, Table 2", "ge-ir", "laws", local_accesses, 0.47},
    {"LAWS, Table 2", "6p", "laws", local_accesses, 151.9},
    {"LAWS, Table 2", "6p-ir", "laws", local_accesses, 134.7},
    {"LAWS, Table 2", "9p", "laws", local_accesses, 27.2},
    {"LAWS, Table 2", "9p-ir", "laws", local_accesses, 24.8},
    {"LAWS, Table 2", "25p", "laws", local_accesses, 125},
    {"LAWS, Table 2", "25p-ir", "laws", local_accesses, 117.7},
};

constexpr paper_figure saws[] = {
    {"SAWS, Table IV", "heat", "random", l3_misses, 799}, {"SAWS, Table IV", "heat-ir", "random", l3_misses, 667},
    {"SAWS, Table IV", "ge", "random", l3_misses, 275},   {"SAWS, Table IV", "ge-ir", "random", l3_misses, 264},
    {"SAWS, Table IV", "9p", "random", l3_misses, 162},   {"SAWS, Table IV", "9p-ir", "random", l3_misses, 160},
    {"SAWS, Table IV", "25p", "random", l3_misses, 2861}, {"SAWS, Table IV", "25p-ir", "random", l3_misses, 2865},
    {"SAWS, Table IV", "6p", "random", l3_misses, 1030},  {"SAWS, Table IV", "6p-ir", "random", l3_misses, 1031},
    {"SAWS, Table IV", "heat", "aaws", l3_misses, 752},   {"SAWS, Table IV", "heat-ir", "aaws", l3_misses, 653},
    {"SAWS, Table IV", "ge", "aaws", l3_misses, 264},     {"SAWS, Table IV", "ge-ir", "aaws", l3_misses, 261},
    {"SAWS, Table IV", "9p", "aaws", l3_misses, 156},     {"SAWS, Table IV", "9p-ir", "aaws", l3_misses, 156},
    {"SAWS, Table IV", "25p", "aaws", l3_misses, 2826},   {"SAWS, Table IV", "25p-ir", "aaws", l3_misses, 2842},
    {"SAWS, Table IV", "6p", "aaws", l3_misses, 995},     {"SAWS, Table IV", "6p-ir", "aaws", l3_misses, 972},
    {"SAWS, Table IV", "heat", "laws", l3_misses, 477},   {"SAWS, Table IV", "heat-ir", "laws", l3_misses, 577},
    {"SAWS, Table IV", "ge", "laws", l3_misses, 35},      {"SAWS, Table IV", "ge-ir", "laws", l3_misses, 35},
    {"SAWS, Table IV", "9p", "laws", l3_misses, 105},     {"SAWS, Table IV", "9p-ir", "laws", l3_misses, 108},
    {"SAWS, Table IV", "25p", "laws", l3_misses, 2479},   {"SAWS, Table IV", "25p-ir", "laws", l3_misses, 2469},
    {"SAWS, Table IV", "6p", "laws", l3_misses, 471},     {"SAWS, Table IV", "6p-ir", "laws", l3_misses, 452},
    {"SAWS, Table IV", "heat", "saws", l3_misses, 460},   {"SAWS, Table IV", "heat-ir", "saws", l3_misses, 565},
    {"SAWS, Table IV", "ge", "saws", l3_misses, 27},      {"SAWS, Table IV", "ge-ir", "saws", l3_misses, 30},
    {"SAWS, Table IV", "9p", "saws", l3_misses, 103},     {"SAWS, Table IV", "9p-ir", "saws", l3_misses, 107},
    {"SAWS, Table IV", "25p", "saws", l3_misses, 2445},   {"SAWS, Table IV", "25p-ir", "saws", l3_misses, 2438},
    {"SAWS, Table IV", "6p", "saws", l3_misses, 465},     {"SAWS, Table IV", "6p-ir", "saws", l3_misses, 445},
};

constexpr paper_scaling acab_by_size[] = {
    {"A-CAB, section 4.2, Fig. 10 and 11", "heat", "acab", 1024, 40.4, 76.1},
    {"A-CAB, section 4.2, Fig. 10 and 11", "heat", "acab", 8192, 12.3, 55.9},
    {"A-CAB, section 4.2, Fig. 10", "sor", "acab", 1024, 56.1, std::nullopt},
    {"A-CAB, section 4.2, Fig. 10", "sor", "acab", 8192, 21.1, std::nullopt},
};

constexpr paper_scaling laws_by_size[] = {
    {"LAWS, section 5.3, Fig. 9 and 10", "heat-ir", "laws", 1024, 30.4, 82},
    {"LAWS, section 5.3, Fig. 9 and 10", "heat-ir", "laws", 16384, 43.6, 17.3},
    {"LAWS, section 5.3, Fig. 9", "6p", "laws", 1024, 36.6, std::nullopt},
    {"LAWS, section 5.3, Fig. 9", "6p", "laws", 16384, 45.8, std::nullopt},
};

}  // namespace

std::span<const paper_scaling> acab_scaling() {
  return acab_by_size;
}

std::span<const paper_scaling> laws_scaling() {
  return laws_by_size;
}

std::span<const paper_figure> acab_figures() {
  return acab;
}

std::span<const paper_figure> laws_figures() {
  return laws;
}

std::span<const paper_figure> saws_figures() {
  return saws;
}

std::span<const paper_range> saws_ranges() {
  static constexpr paper_range ranges[] = {{"SAWS, section VI.A and Fig. 6", "saws", 25.89, 59.29},
                                           {"SAWS, section VI.A and Fig. 6", "aaws", 3.88, 16.89},
                                           {"SAWS, section VI.A and Fig. 6", "laws", 15.52, 57.25}};
  return ranges;
}

paper_range acab_iterative_range() {
  return {"A-CAB, section 4.1 and Fig. 7", "acab", 35.3, 74.4};
}

paper_range acab_single_iteration_range() {
  return {"A-CAB, section 4.1 and Fig. 9", "acab", 22.3, 55.1};
}

paper_range laws_range() {
  return {"LAWS, section 5.1 and Fig. 7", "laws", 23.5, 54.2};
}

/// The paper says "up to".
paper_range cats_range() {
  return {"LAWS, section 5.1 and Fig. 7", "cats", 0, 19.6};
}

std::optional<double> figure_of(std::span<const paper_figure> figures, std::string_view benchmark,
                                std::string_view policy, paper_metric what) {
  const auto found = std::ranges::find_if(figures, [&](const paper_figure& one) {
    return one.benchmark == benchmark && one.policy == policy && one.what == what;
  });
  return found == figures.end() ? std::nullopt : std::optional(found->value);
}

}  // namespace nearfork::tools
