// Rules of the table. A private cache is one that a single core has, with any number of hardware threads. We want the
// lines that the core's tasks bring in. So lines that a prefetcher fetched for them count, too: else a streaming task
// would look small. For a processor without a row, the message names it; an event that was not looked up is not
// guessed.
#include "sensors/miss_events.hpp"

#include <algorithm>

namespace nearfork {
namespace {

constexpr std::string_view intel = "GenuineIntel";
constexpr std::string_view amd = "AuthenticAMD";
constexpr std::string_view arm = "0x41";
constexpr std::string_view fujitsu = "0x46";

constexpr std::string_view intel_lists =
    "Intel's event lists (perfmon-events.intel.com), L2_LINES_IN: lines that fill the L2 for any reason; "
    "L2_RQSTS.MISS says about the same, but not every model has it";
constexpr std::string_view knights_landing =
    "Intel's event list for Knights Landing, MEM_UOPS_RETIRED.L1_MISS_LOADS: two cores of a tile share the L2, so the "
    "L1 is the last private level; it counts loads alone";
constexpr std::string_view opteron_10h =
    "AMD BKDG for family 10h (31116), event 07Eh: L2 misses of the data cache and of its prefetcher";
constexpr std::string_view opteron_15h =
    "AMD BKDG for family 15h (42301), event 041h: two cores of a module share the L2, so the L1 is the last private "
    "level";
constexpr std::string_view zen =
    "AMD PPRs for families 17h to 1Ah, PMCx064, PMCx071, PMCx072: L2 misses of the data cache, its prefetcher "
    "included, and the L2's own prefetches that hit in the L3 or miss it, too";
constexpr std::string_view neoverse =
    "Arm Architecture Reference Manual, PMU event 0x17 L2D_CACHE_REFILL; the L2 of a Neoverse core is its own";
constexpr std::string_view a64fx =
    "A64FX PMU Events (Fujitsu), 0x03 L1D_CACHE_REFILL: 12 cores share an L2, so the L1 is the last private level; "
    "its lines have 256 bytes";

constexpr std::string_view data_misses = "CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS:LS_RD_BLK_C";

using names = std::array<std::string_view, miss_event_row::most_events>;
constexpr names any_lines_in{"L2_LINES_IN:ANY"};
constexpr names all_lines_in{"L2_LINES_IN:ALL"};
constexpr names l2_misses_10h{"L2_CACHE_MISS:DATA:HW_PREFETCH_FROM_DC"};
constexpr names l1_misses_15h{"DATA_CACHE_MISSES:DC_MISS_STREAMING_STORE"};
constexpr names zen1_and_2{data_misses, "L2_PREFETCH_HIT_L3:ANY", "L2_PREFETCH_MISS_L3:ANY"};
constexpr names zen3{data_misses, "L2_PREFETCH_HIT_L3:L2_HW_PREFETCHER", "L2_PREFETCH_MISS_L3:L2_HW_PREFETCHER"};
constexpr names zen4{data_misses, "L2_PREFETCH_HIT_L3:L2_STREAM:L2_NEXT_LINE:L2_UP_DOWN:L2_BURST:L2_STRIDE",
                     "L2_PREFETCH_MISS_L3:L2_STREAM:L2_NEXT_LINE:L2_UP_DOWN:L2_BURST:L2_STRIDE"};
/// Its third event is PMCx072: libpfm 4.14 swapped the names of that event and of PMCx165, which has no such unit mask.
/// If the names are swapped back, libpfm refuses this one; it is not misread.
constexpr names zen5{data_misses, "L2_PREFETCH_HIT_L3:L2_HW_PF", "L2_FILL_RESPONSE_SRC:L2_HW_PF"};
constexpr names l2_refills{"L2D_CACHE_REFILL"};
constexpr names l1_refills{"L1D_CACHE_REFILL"};
constexpr names l1_missing_loads{"MEM_UOPS_RETIRED:L1_MISS_LOADS"};

/// The first matching row is taken.
constexpr miss_event_row table[] = {
    {intel, 6, 26, 26, any_lines_in, 64, intel_lists},    // Nehalem
    {intel, 6, 30, 31, any_lines_in, 64, intel_lists},    // Nehalem
    {intel, 6, 46, 46, any_lines_in, 64, intel_lists},    // Nehalem EX: the Xeon X7560 of the papers
    {intel, 6, 37, 37, any_lines_in, 64, intel_lists},    // Westmere
    {intel, 6, 44, 44, any_lines_in, 64, intel_lists},    // Westmere EP
    {intel, 6, 47, 47, any_lines_in, 64, intel_lists},    // Westmere EX
    {intel, 6, 42, 42, any_lines_in, 64, intel_lists},    // Sandy Bridge
    {intel, 6, 45, 45, any_lines_in, 64, intel_lists},    // Sandy Bridge EP
    {intel, 6, 58, 58, all_lines_in, 64, intel_lists},    // Ivy Bridge
    {intel, 6, 62, 62, all_lines_in, 64, intel_lists},    // Ivy Bridge EP
    {intel, 6, 60, 60, all_lines_in, 64, intel_lists},    // Haswell
    {intel, 6, 63, 63, all_lines_in, 64, intel_lists},    // Haswell EP
    {intel, 6, 69, 70, all_lines_in, 64, intel_lists},    // Haswell
    {intel, 6, 61, 61, all_lines_in, 64, intel_lists},    // Broadwell
    {intel, 6, 71, 71, all_lines_in, 64, intel_lists},    // Broadwell
    {intel, 6, 79, 79, all_lines_in, 64, intel_lists},    // Broadwell EP
    {intel, 6, 86, 86, all_lines_in, 64, intel_lists},    // Broadwell D
    {intel, 6, 78, 78, all_lines_in, 64, intel_lists},    // Skylake
    {intel, 6, 94, 94, all_lines_in, 64, intel_lists},    // Skylake
    {intel, 6, 142, 142, all_lines_in, 64, intel_lists},  // Kaby Lake
    {intel, 6, 158, 158, all_lines_in, 64, intel_lists},  // Kaby Lake, Coffee Lake
    {intel, 6, 165, 166, all_lines_in, 64, intel_lists},  // Comet Lake
    {intel, 6, 85, 85, all_lines_in, 64, intel_lists},    // Skylake X, Cascade Lake X
    {intel, 6, 106, 106, all_lines_in, 64, intel_lists},  // Ice Lake X
    {intel, 6, 108, 108, all_lines_in, 64, intel_lists},  // Ice Lake D
    {intel, 6, 125, 126, all_lines_in, 64, intel_lists},  // Ice Lake
    {intel, 6, 140, 141, all_lines_in, 64, intel_lists},  // Tiger Lake
    {intel, 6, 167, 167, all_lines_in, 64, intel_lists},  // Rocket Lake
    {intel, 6, 143, 143, all_lines_in, 64, intel_lists},  // Sapphire Rapids, Xeon Max
    {intel, 6, 207, 207, all_lines_in, 64, intel_lists},  // Emerald Rapids; from libpfm 4.14 on
    {intel, 6, 173, 174, all_lines_in, 64, intel_lists},  // Granite Rapids; from libpfm 4.14 on
    {intel, 6, 87, 87, l1_missing_loads, 64, knights_landing},
    {intel, 6, 133, 133, l1_missing_loads, 64, knights_landing},  // Knights Mill
    {amd, 0x10, 0, 0xff, l2_misses_10h, 64, opteron_10h},         // the Opteron 8380 of the papers is model 4
    {amd, 0x15, 0, 0xff, l1_misses_15h, 64, opteron_15h},         // the Opteron 6282 of the papers is model 1
    {amd, 0x17, 0, 0xff, zen1_and_2, 64, zen},
    {amd, 0x19, 0x10, 0x1f, zen4, 64, zen},
    {amd, 0x19, 0x60, 0xff, zen4, 64, zen},
    {amd, 0x19, 0, 0xff, zen3, 64, zen},
    {amd, 0x1a, 0, 0xff, zen5, 64, zen},               // from libpfm 4.14 on
    {arm, 8, 0xd0c, 0xd0c, l2_refills, 64, neoverse},  // N1
    {arm, 8, 0xd40, 0xd40, l2_refills, 64, neoverse},  // V1
    {arm, 8, 0xd49, 0xd49, l2_refills, 64, neoverse},  // N2
    {arm, 8, 0xd4f, 0xd4f, l2_refills, 64, neoverse},  // V2: Grace
    {arm, 8, 0xd84, 0xd84, l2_refills, 64, neoverse},  // V3
    {arm, 8, 0xd8e, 0xd8e, l2_refills, 64, neoverse},  // N3
    {fujitsu, 8, 0x001, 0x001, l1_refills, 256, a64fx},
};

}  // namespace

std::span<const miss_event_row> miss_event_table() {
  return table;
}

const miss_event_row* miss_events_of(const cpu_model& which) {
  if (which.several_kinds) return nullptr;
  const auto* const found = std::ranges::find_if(table, [&](const miss_event_row& row) {
    return row.vendor == which.vendor && row.family == which.family && row.first_model <= which.model &&
           which.model <= row.last_model;
  });
  return found == std::end(table) ? nullptr : found;
}

}  // namespace nearfork
