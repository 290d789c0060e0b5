// Makes the machine descriptions of machines/, which have a model beside them, and of tests/machines/recorded: hwloc's
// synthetic strings, and by its API what those cannot say. Sizes, hops and bandwidths of the papers' machines are the
// papers'. Opteron 6282 and UV2000: local latency is the time of tables 1 and 2 of the PACT 2016 paper over 2^24 cache
// lines; the UV2000's distances are the factors of table 2 times 10. KNL: of latencies the paper says only that HBM's
// is 10-15% longer. Other machines: round figures of the right size, good for tests alone.
// usage: make_machines NAMED_FOLDER TESTS_FOLDER
//   g++ -std=c++20 make_machines.cpp -lhwloc -o make_machines && ./make_machines ../../../machines ../recorded
#include <hwloc.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace {

void require(bool fine, const std::string& what) {
  if (fine) return;
  std::fprintf(stderr, "make_machines: %s\n", what.c_str());
  std::exit(1);
}

class made_machine {
 public:
  explicit made_machine(const std::string& synthetic) {
    require(hwloc_topology_init(&topology_) == 0, "init");
    require(hwloc_topology_set_synthetic(topology_, synthetic.c_str()) == 0, "bad synthetic string: " + synthetic);
    require(hwloc_topology_load(topology_) == 0, "load");
  }
  ~made_machine() { hwloc_topology_destroy(topology_); }
  made_machine(const made_machine&) = delete;
  made_machine& operator=(const made_machine&) = delete;

  hwloc_obj_t node(unsigned index) { return hwloc_get_obj_by_type(topology_, HWLOC_OBJ_NUMANODE, index); }
  unsigned nodes() { return static_cast<unsigned>(hwloc_get_nbobjs_by_type(topology_, HWLOC_OBJ_NUMANODE)); }

  made_machine& model(const char* name) {
    for (hwloc_obj_t package = nullptr;
         (package = hwloc_get_next_obj_by_type(topology_, HWLOC_OBJ_PACKAGE, package)) != nullptr;)
      hwloc_obj_add_info(package, "CPUModel", name);
    return *this;
  }
  /// The memory of every `stride`-th node from `first` on; 0 is not known.
  made_machine& memory(unsigned first, unsigned stride, const char* kind, std::uint64_t bandwidth,
                       std::uint64_t latency) {
    for (unsigned i = first; i < nodes(); i += stride) {
      if (kind != nullptr) node(i)->subtype = strdup(kind);
      hwloc_location from;
      from.type = HWLOC_LOCATION_TYPE_CPUSET;
      from.location.cpuset = node(i)->cpuset;
      if (bandwidth != 0) hwloc_memattr_set_value(topology_, HWLOC_MEMATTR_ID_BANDWIDTH, node(i), &from, 0, bandwidth);
      if (latency != 0) hwloc_memattr_set_value(topology_, HWLOC_MEMATTR_ID_LATENCY, node(i), &from, 0, latency);
    }
    return *this;
  }
  made_machine& no_memory(unsigned index) {
    node(index)->attr->numanode.local_memory = 0;
    return *this;
  }
  /// The size of the caches of this level that lie around a PU of the list.
  made_machine& cache_size(hwloc_obj_type_t level, const char* list, std::uint64_t bytes) {
    hwloc_bitmap_t around = hwloc_bitmap_alloc();
    hwloc_bitmap_list_sscanf(around, list);
    for (hwloc_obj_t cache = nullptr; (cache = hwloc_get_next_obj_by_type(topology_, level, cache)) != nullptr;)
      if (hwloc_bitmap_intersects(cache->cpuset, around) != 0) cache->attr->cache.size = bytes;
    hwloc_bitmap_free(around);
    return *this;
  }
  made_machine& keep_pus(const char* list) {
    hwloc_bitmap_t kept = hwloc_bitmap_alloc();
    hwloc_bitmap_list_sscanf(kept, list);
    require(hwloc_topology_restrict(topology_, kept, 0) == 0, "restrict");
    hwloc_bitmap_free(kept);
    return *this;
  }
  made_machine& kind(const char* list, int efficiency, const char* type, const char* megahertz) {
    hwloc_bitmap_t members = hwloc_bitmap_alloc();
    hwloc_bitmap_list_sscanf(members, list);
    hwloc_info_s infos[] = {{const_cast<char*>("CoreType"), const_cast<char*>(type)},
                            {const_cast<char*>("FrequencyMaxMHz"), const_cast<char*>(megahertz)}};
    require(hwloc_cpukinds_register(topology_, members, efficiency, 2, infos, 0) == 0, "cpukinds");
    hwloc_bitmap_free(members);
    return *this;
  }
  made_machine& distances(const std::function<std::uint64_t(unsigned, unsigned)>& between) {
    std::vector<hwloc_obj_t> objects;
    std::vector<hwloc_uint64_t> values;
    for (unsigned i = 0; i < nodes(); ++i) objects.push_back(node(i));
    for (unsigned i = 0; i < nodes(); ++i)
      for (unsigned j = 0; j < nodes(); ++j) values.push_back(between(i, j));
    const auto handle = hwloc_distances_add_create(
        topology_, "NUMALatency", HWLOC_DISTANCES_KIND_FROM_USER | HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0);
    require(handle != nullptr, "distances");
    require(hwloc_distances_add_values(topology_, handle, nodes(), objects.data(), values.data(), 0) == 0,
            "distance values");
    require(hwloc_distances_add_commit(topology_, handle, 0) == 0, "distance commit");
    return *this;
  }
  void write(const std::string& folder, const char* name) {
    const std::string path = folder + "/" + name + ".xml";
    require(hwloc_topology_export_xml(topology_, path.c_str(), 0) == 0, "cannot write " + path);
  }

 private:
  hwloc_topology_t topology_ = nullptr;
};

std::uint64_t two_level(unsigned i, unsigned j, unsigned per_package, std::uint64_t near, std::uint64_t far) {
  return i == j ? 10 : i / per_package == j / per_package ? near : far;
}

/// KNL in flat mode: DRAM and MCDRAM of a quadrant are neighbours; SLIT as Intel's firmware gives it.
std::uint64_t knl(unsigned i, unsigned j) {
  if (i == j) return 10;
  if (i % 2 == 0 && j % 2 == 0) return 21;
  return i / 2 == j / 2 ? 31 : 41;
}

/// The other five modes: the clustering of cores and directories, and HBM as memory or as a cache before memory.
void write_knl_modes(const std::string& folder) {
  const auto modes_of_one_cluster = [&](const char* flat, const char* cache, unsigned dram_ns, unsigned hbm_ns) {
    made_machine("package:1 [numa(memory=128GiB)] [numa(memory=16GiB)] l2:32(size=1MiB) core:2 l1d:1(size=32KiB) pu:4")
        .model("Intel Xeon Phi 7210")
        .memory(0, 2, "DRAM", 85831, dram_ns)
        .memory(1, 2, "MCDRAM", 366211, hbm_ns)
        .distances(knl)
        .write(folder, flat);
    made_machine("package:1 [numa(memory=128GiB)] l2:32(size=1MiB) core:2 l1d:1(size=32KiB) pu:4")
        .model("Intel Xeon Phi 7210")
        .memory(0, 1, "DRAM", 85831, dram_ns)
        .write(folder, cache);
  };
  modes_of_one_cluster("xeon-phi-7210-quadrant-flat", "xeon-phi-7210-quadrant-cache", 138, 155);
  modes_of_one_cluster("xeon-phi-7210-all2all-flat", "xeon-phi-7210-all2all-cache", 143, 160);
  made_machine("package:1 group:4 [numa(memory=32GiB)] l2:8(size=1MiB) core:2 l1d:1(size=32KiB) pu:4")
      .model("Intel Xeon Phi 7210")
      .memory(0, 1, "DRAM", 21457, 130)
      .distances([](unsigned i, unsigned j) { return two_level(i, j, 1, 10, 21); })
      .write(folder, "xeon-phi-7210-snc4-cache");
}

/// Four of the other seven nodes are one hop away: the package's other die, and in each other package the die at the
/// same place.
std::uint64_t opteron_6282(unsigned i, unsigned j) {
  if (i == j) return 10;
  return i / 2 == j / 2 || i % 2 == j % 2 ? 16 : 22;
}

/// Two nodes share a blade, 1 hop; 2 hops to a blade with a direct connection, here the edges of a hypercube; else 3.
std::uint64_t uv2000(unsigned i, unsigned j) {
  if (i == j) return 10;
  const int apart = __builtin_popcount(i / 2 ^ j / 2);
  return apart == 0 ? 49 : apart == 1 ? 62 : 75;
}

std::uint64_t xeon_max(unsigned i, unsigned j, unsigned nodes_per_package) {
  if (i == j) return 10;
  const std::uint64_t to_hbm = i % 2 + j % 2 != 0 ? 2 : 0;
  if (i / 2 == j / 2) return 13;
  return (i / nodes_per_package == j / nodes_per_package ? 12 : 21) + to_hbm;
}

/// Places are L2 caches of 4 cores of 2 PUs each. Eight places stand for a performance core each and keep one core. Two
/// places are clusters of four efficiency cores, whose second PU goes. All that goes has a number from 24 on.
std::string alder_lake_numbers() {
  std::string numbers;
  unsigned gone = 24;
  for (unsigned cache = 0; cache < 10; ++cache)
    for (unsigned core = 0; core < 4; ++core)
      for (unsigned pu = 0; pu < 2; ++pu) {
        const bool big = cache < 8 && core == 0;
        const bool little = cache >= 8 && pu == 0;
        const unsigned number = big ? cache * 2 + pu : little ? 16 + (cache - 8) * 4 + core : gone++;
        numbers += (numbers.empty() ? "" : ",") + std::to_string(number);
      }
  return numbers;
}

}  // namespace

int main(int argc, char** argv) {
  require(argc == 3, "usage: make_machines NAMED_FOLDER TESTS_FOLDER");
  const std::string named = argv[1];
  const std::string to = argv[2];

  made_machine("package:4 [numa(memory=4GiB)] l3:1(size=6MiB) l2:4(size=512KiB) l1d:1(size=64KiB) core:1 pu:1")
      .model("Quad-Core AMD Opteron 8380")
      .distances([](unsigned i, unsigned j) { return two_level(i, j, 1, 10, 20); })
      .write(named, "opteron-8380");
  made_machine("package:4 [numa(memory=16GiB)] l3:1(size=24MiB) l2:8(size=256KiB) l1d:1(size=32KiB) core:1 pu:1")
      .model("Intel Xeon X7560")
      .kind("16-31", 0, "little", "1330")
      .kind("0-15", 1, "big", "2000")
      .distances([](unsigned i, unsigned j) { return two_level(i, j, 1, 10, 21); })
      .write(named, "xeon-x7560");
  made_machine(
      "package:1 group:4 [numa(memory=32GiB)] [numa(memory=4GiB indexes=0,4,1,5,2,6,3,7)] l2:8(size=1MiB) core:2 "
      "l1d:1(size=32KiB) pu:4")
      .model("Intel Xeon Phi 7210")
      .memory(0, 2, "DRAM", 21457, 130)
      .memory(1, 2, "MCDRAM", 91552, 147)
      .distances(knl)
      .write(named, "xeon-phi-7210");
  write_knl_modes(named);
  made_machine("package:24 [numa(memory=32256MiB)] l3:1(size=20MiB) l2:8(size=256KiB) l1d:1(size=32KiB) core:1 pu:1")
      .model("Intel Xeon E5-4640")
      .memory(0, 1, nullptr, 0, 56)
      .distances(uv2000)
      .write(named, "sgi-uv2000");
  made_machine("package:4 group:2 [numa(memory=8GiB)] l3:1(size=6MiB) l2:4(size=2MiB) core:2 l1d:1(size=16KiB) pu:1")
      .model("AMD Opteron 6282 SE")
      .memory(0, 1, nullptr, 0, 77)
      .distances(opteron_6282)
      .write(named, "opteron-6282");
  made_machine(
      "package:2 group:4 [numa(memory=64GiB)] l3:2(size=32MiB) l2:8(size=512KiB) l1d:1(size=32KiB) core:1 pu:2")
      .model("AMD EPYC 7763")
      .distances([](unsigned i, unsigned j) { return two_level(i, j, 4, 12, 32); })
      .write(named, "epyc-7763");
  made_machine(
      "package:2 [numa(memory=512GiB)] [numa(memory=64GiB)] l3:1(size=112MiB) l2:56(size=2MiB) l1d:1(size=48KiB) "
      "core:1 pu:2")
      .model("Intel Xeon Max 9480")
      .memory(0, 2, "DRAM", 220000, 110)
      .memory(1, 2, "HBM", 560000, 130)
      .distances([](unsigned i, unsigned j) { return xeon_max(i, j, 2); })
      .write(named, "xeon-max-9480");
  // Sub-NUMA clustering: the cache spans four DRAM and four HBM nodes.
  made_machine(
      "package:2 l3:1(size=112MiB) group:4 [numa(memory=128GiB)] "
      "[numa(memory=16GiB indexes=0,8,1,9,2,10,3,11,4,12,5,13,6,14,7,15)] l2:14(size=2MiB) l1d:1(size=48KiB) core:1 "
      "pu:2")
      .model("Intel Xeon Max 9480")
      .memory(0, 2, "DRAM", 55000, 105)
      .memory(1, 2, "HBM", 140000, 125)
      .distances([](unsigned i, unsigned j) { return xeon_max(i, j, 8); })
      .write(to, "224pu-2p4n14c2t-xeon-max-snc4-flat");
  made_machine("package:1 [numa(memory=32GiB)] l3:1(size=30MiB) l2:10 core:4 l1d:1(size=48KiB) pu:2(indexes=" +
               alder_lake_numbers() + ")")
      .model("12th Gen Intel Core i9-12900K")
      .keep_pus("0-23")
      .cache_size(HWLOC_OBJ_L2CACHE, "0-15", 1280 << 10)
      .cache_size(HWLOC_OBJ_L2CACHE, "16-23", 2 << 20)
      .cache_size(HWLOC_OBJ_L1CACHE, "16-23", 32 << 10)
      .kind("16-23", 0, "IntelAtom", "3900")
      .kind("0-15", 1, "IntelCore", "5200")
      .write(named, "alder-lake");
  made_machine("package:1 [numa(memory=480GiB)] l3:1(size=114MiB) l2:72(size=1MiB) l1d:1(size=64KiB) core:1 pu:1")
      .model("NVIDIA Grace")
      .memory(0, 1, "DRAM", 470000, 0)
      .write(named, "grace");
  made_machine("package:4 [numa(memory=512GiB)] l3:1(size=115200KiB) l2:60(size=2MiB) l1d:1(size=48KiB) core:1 pu:2")
      .model("Intel Xeon Platinum 8490H")
      .distances([](unsigned i, unsigned j) { return two_level(i, j, 1, 10, 21); })
      .write(named, "xeon-8490h");
  made_machine(
      "package:1 [numa(memory=768GiB)] [numa(memory=1TiB)] l3:12(size=32MiB) l2:8(size=1MiB) l1d:1(size=32KiB) core:1 "
      "pu:2")
      .model("AMD EPYC 9654")
      .memory(0, 2, "DRAM", 359000, 120)
      .memory(1, 2, "CXL-DRAM", 86000, 276)
      .distances([](unsigned i, unsigned j) { return std::uint64_t{i == j ? 10U : 23U}; })
      .write(named, "epyc-9654-cxl");
  made_machine("package:2 group:4 [numa(memory=192GiB)] l3:3(size=32MiB) l2:8(size=1MiB) l1d:1(size=32KiB) core:1 pu:2")
      .model("AMD EPYC 9654")
      .distances([](unsigned i, unsigned j) { return two_level(i, j, 4, 12, 32); })
      .write(named, "epyc-9654");
  // Three dies with 128 cores in all: 43, 43 and 42.
  made_machine(
      "package:2 group:3 [numa(memory=256GiB)] l3:1(size=168MiB) l2:43(size=2MiB) l1d:1(size=48KiB) core:1 pu:2")
      .model("Intel Xeon 6980P")
      .keep_pus("0-255,258-513")
      .distances([](unsigned i, unsigned j) { return two_level(i, j, 3, 12, 21); })
      .write(named, "xeon-6980p");
  made_machine("package:2 group:4 [numa(memory=192GiB)] l3:4(size=32MiB) l2:8(size=1MiB) l1d:1(size=48KiB) core:1 pu:2")
      .model("AMD EPYC 9755")
      .distances([](unsigned i, unsigned j) { return two_level(i, j, 4, 12, 32); })
      .write(named, "epyc-9755");
  made_machine("package:1 [numa(memory=1GiB)] core:1 pu:1").write(to, "1pu-1p1c");
  // The second node is local to all cores and has none of its own: HBM as a tier beside the package's memory.
  made_machine("[numa(memory=16GiB)] package:2 [numa(memory=64GiB)] l3:1(size=16MiB) core:4 pu:1")
      .memory(0, 1, nullptr, 100000, 100)
      .memory(2, 3, "HBM", 300000, 140)
      .write(to, "8pu-2p4c-hbm-without-cores");
  // Memory of which the firmware says no more than that the memory is there: a node without cores and without a name.
  made_machine("[numa(memory=256GiB)] package:2 [numa(memory=64GiB indexes=0,1,2)] l3:1(size=16MiB) core:4 pu:1")
      .distances([](unsigned i, unsigned j) { return i == j             ? 10U
                                                     : i == 2 || j == 2 ? 24U
                                                                        : 21U; })
      .write(to, "8pu-2p4c-unnamed-node-without-cores");
  made_machine("package:2 [numa(memory=64GiB)] l3:1(size=16MiB) core:4 pu:1")
      .no_memory(1)
      .distances([](unsigned i, unsigned j) { return two_level(i, j, 1, 10, 21); })
      .write(to, "8pu-2p4c-node-without-memory");
  made_machine("package:2 [numa(memory=32GiB)] l3:2(size=8MiB) core:3 pu:2")
      .keep_pus("0-6,12,13,18-23")
      .write(to, "15pu-2p-asymmetric");
  made_machine("package:1 [numa(memory=16GiB)] l2:2(size=12MiB) core:4 l1d:1(size=128KiB) pu:1")
      .write(to, "8pu-1p2x4c-no-l3");
  made_machine("package:2 [numa(memory=16GiB)] core:4 pu:2").write(to, "16pu-2p4c2t-no-cache");
}
