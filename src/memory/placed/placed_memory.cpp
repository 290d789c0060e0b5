// Making and finding blocks. placed_reuse.cpp frees them, placed_moves.cpp moves them as plans say.
#include "memory/placed/placed_memory.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include <nearfork/error.hpp>

#include "base/text/message_text.hpp"
#include "memory/placed/refusal_text.hpp"

namespace nearfork {
namespace {

constexpr std::size_t round_up(std::size_t bytes, std::size_t to) {
  return (bytes + to - 1) / to * to;
}

/// From this many huge pages on, borders keep huge pages whole even if the options do not ask for them: then at most
/// one huge page per node lies a little off.
constexpr std::uint64_t many_huge_pages = 64;

/// The most different facts that are kept, such as nodes that do not exist: a program may name a new one each time.
constexpr std::size_t most_told = 100;

void check_alignment(std::size_t alignment) {
  if (!std::has_single_bit(alignment) || alignment > most_alignment)
    throw error("nearfork: an alignment of " + std::to_string(alignment) +
                " bytes cannot be had; it must be a power of two of at most " + std::to_string(most_alignment));
}

[[noreturn]] void throw_no_memory(std::size_t bytes, int error_number) {
  std::string remedy = "allocate less, free something, or raise the limits (ulimit -v, vm.max_map_count)";
  if (error_number == ENOMEM)
    remedy =
        "the system has no room for it: allocate less, or see vm.overcommit_memory, ulimit -v and the cgroup's "
        "memory.max";
  if (error_number == EAGAIN) remedy = "more memory would be locked than mlockall() may lock: raise ulimit -l";
  throw error("nearfork: no memory for a block of " + std::to_string(bytes) + " bytes: " + with_number(error_number) +
              "; " + remedy);
}

}  // namespace

placed_memory::placed_memory(std::unique_ptr<os_memory> system, machine_reader read_machine)
    : system_(std::move(system)), read_machine_(std::move(read_machine)) {}

placed_memory::placed_memory(std::unique_ptr<os_memory> system, std::shared_ptr<const machine> where)
    : system_(std::move(system)), machine_(std::move(where)) {}

placed_memory::~placed_memory() {
  for (const auto& [slot, block] : blocks_) system_->unmap(block.begin, block.reserved_bytes);
  for (const placed_block& kept : kept_.take_all()) unmap(kept);
}

void placed_memory::know_machine() {
  {
    const std::lock_guard lock(mutex_);
    if (machine_) return;
  }
  auto read = read_machine_();
  const std::lock_guard lock(mutex_);
  if (!machine_) machine_ = std::move(read);
}

const machine& placed_memory::where() {
  if (!machine_) machine_ = read_machine_();
  return *machine_;
}

bool placed_memory::has_one_node() {
  return nodes_with_memory(where()).size() < 2;
}

bool placed_memory::is_of(const machine& asked) {
  if (asked.source() == machine_source::live) know_machine();
  const std::lock_guard lock(mutex_);
  // Do not read the live machine only to compare it with a described one.
  if (!machine_ && asked.source() != machine_source::live) return false;
  return &where() == &asked;
}

block_extent placed_memory::extent_of(std::size_t bytes, const memory_options& options) const {
  const std::size_t huge = system_->huge_page_bytes();
  const std::size_t page = system_->page_bytes();
  const bool large = options.huge != huge_pages::never && bytes >= many_huge_pages * huge;
  return {bytes, page, options.huge == huge_pages::wanted || large ? huge / page : 1};
}

/// The kept pages of freed blocks must not make an allocation fail.
mapped_memory placed_memory::map_pages(std::size_t usable, std::size_t reserved, std::size_t alignment) {
  const mapped_memory mapped = system_->map(usable, reserved, alignment);
  if (mapped.begin != nullptr || kept_.bytes() == 0) return mapped;
  for (const placed_block& one : kept_.take_all()) unmap(one);
  return system_->map(usable, reserved, alignment);
}

placed_block placed_memory::map_block(std::size_t bytes, std::size_t alignment, const memory_options& options) {
  check_alignment(alignment);
  constexpr std::size_t chunk = block_registry::chunk_bytes;
  if (bytes > (std::size_t{1} << (block_registry::address_bits - 1))) throw_no_memory(bytes, ENOMEM);
  placed_block made;
  made.options = options;
  for (const node_weight& one : options.where.weights) made.weights[os_index{one.os_node}] += one.weight;
  made.extent = extent_of(bytes, options);
  const std::size_t huge = system_->huge_page_bytes();
  const std::size_t usable = round_up(bytes, options.huge == huge_pages::wanted ? huge : made.extent.page_bytes);
  made.reserved_bytes = round_up(usable, chunk);
  const mapped_memory mapped = map_pages(usable, made.reserved_bytes, std::max(alignment, std::max(chunk, huge)));
  if (mapped.begin == nullptr) throw_no_memory(bytes, mapped.error_number);
  made.begin = mapped.begin;
  return made;
}

/// While it lives, shortfalls are counted for the block that is being made.
class placed_memory::making {
 public:
  making(placed_memory& in, placed_block& made) noexcept : in_(in) { in_.being_made_ = &made; }
  ~making() { in_.being_made_ = nullptr; }
  making(const making&) = delete;
  making& operator=(const making&) = delete;

 private:
  placed_memory& in_;
};

void* placed_memory::allocate(std::size_t bytes, std::size_t alignment, const memory_options& options) {
  if (options.where.how != placing::rule::follow_plan) know_machine();
  const std::lock_guard lock(mutex_);
  placed_block made = map_block(bytes, alignment, options);
  std::byte* const begin = made.begin;
  const std::uint64_t reserved = made.reserved_bytes;
  try {
    const std::uint64_t short_before = times_short_;
    {
      const making now(*this, made);
      advise_huge(made);
      place(made);
    }
    made.may_be_kept = times_short_ == short_before;
    const std::vector<std::size_t> misses = made.misses;
    enter(std::move(made));
    for (const std::size_t one : misses) ++shortfalls_[one].blocks;
    return begin;
  } catch (const std::bad_alloc&) {
    system_->unmap(begin, reserved);
    throw_no_memory(bytes, ENOMEM);
  } catch (...) {
    system_->unmap(begin, reserved);
    throw;
  }
}

/// Enters a block among the living ones. Throws: std::bad_alloc; then the block is not entered.
void placed_memory::enter(placed_block made) {
  if (!registry_owner_) registry_owner_ = std::make_unique<block_registry>();
  registry_.store(registry_owner_.get(), seam::memory_order_release);  // pairs with find()
  const auto begin = reinterpret_cast<std::uintptr_t>(made.begin);
  made.id = registry_owner_->add(begin, begin + made.extent.bytes);
  const std::uint32_t slot = made.id.slot;
  try {
    blocks_.insert_or_assign(slot, std::move(made));
  } catch (...) {
    registry_owner_->remove(*registry_owner_->find(begin));
    throw;
  }
  ++blocks_made_;
  live_blocks_.fetch_add(1, seam::memory_order_relaxed);
}

std::optional<found_block> placed_memory::find(const void* address) const noexcept {
  const block_registry* const known = registry_.load(seam::memory_order_acquire);  // pairs with allocate()
  return known == nullptr ? std::nullopt : known->find(reinterpret_cast<std::uintptr_t>(address));
}

/// Asks for each node once: the system tells free memory in files, and a search for room asks for the same nodes
/// repeatedly.
free_memory placed_memory::free_now() {
  auto told = std::make_shared<std::map<node_id, std::optional<std::uint64_t>>>();
  return [this, told](node_id node) {
    const auto [at, is_new] = told->try_emplace(node);
    if (is_new) at->second = system_->free_bytes(where().at(node).os);
    return at->second;
  };
}

// --- placing at the start ---

void placed_memory::advise_huge(const placed_block& made) {
  if (made.options.huge == huge_pages::by_system) return;
  const int refused = system_->advise(made.begin, made.extent.pages() * made.extent.page_bytes, made.options.huge);
  if (made.options.huge == huge_pages::never) return;  // a kernel without huge pages obeys anyway
  const grant granted = system_->huge_pages_granted();
  if (refused == 0 && granted.state == grant_state::granted) return;
  fall_short({"no huge pages", named(made),
              granted.state == grant_state::granted ? with_number(refused) : granted.detail, granted.remedy});
}

void placed_memory::place(placed_block& made) {
  switch (made.options.where.how) {
    case placing::rule::follow_plan: return;
    case placing::rule::bound:
    case placing::rule::preferred: return place_on_one(made);
    case placing::rule::interleaved: return place_interleaved(made);
    case placing::rule::interleaved_by_bandwidth: return place_interleaved_by_bandwidth(made);
    case placing::rule::by_bandwidth:
    case placing::rule::by_capacity: {
      if (has_one_node()) return;
      const std::vector<node_id> nodes = nodes_with_memory(where());
      const bool by_size = made.options.where.how == placing::rule::by_capacity;
      const node_spread how = by_size ? node_spread::by_capacity : node_spread::by_bandwidth;
      return place_by_weight(made, nodes, weights_of(made, nodes, how));
    }
    case placing::rule::interleaved_by_weights:
    case placing::rule::by_weights: return place_by_given_weights(made);
  }
}

void placed_memory::place_on_one(placed_block& made) {
  const placing& asked = made.options.where;
  const node_choice chosen = choose_node(where(), os_index{asked.os_node}, made.extent.bytes, free_now());
  if (!chosen.why_not.empty())
    fall_short({"memory is not on the node that was asked for", named(made), chosen.why_not,
                "name a node with enough free memory (numactl --hardware)"});
  if (!chosen.node || has_one_node()) return;
  const page_split whole{{0, made.extent.pages(), *chosen.node}};
  // Do not bind to a replacement node: if that node has too little memory, the kernel would end the program.
  const bool binds = asked.how == placing::rule::bound && chosen.why_not.empty();
  (void)bind(made, whole, binds ? page_policy::bind : page_policy::prefer);
}

/// Interleaves page by page over all nodes, as the kernel does it. Returns 0 or the errno value.
int placed_memory::interleave(const placed_block& made, page_policy how) {
  std::vector<os_index> nodes;
  for (const node_id node : nodes_with_memory(where())) nodes.push_back(where().at(node).os);
  return system_->set_policy(made.begin, made.extent.pages() * made.extent.page_bytes, how, nodes);
}

void placed_memory::place_interleaved(placed_block& made) {
  if (has_one_node()) return;
  if (system_->has_weighted_interleave() && interleave(made, page_policy::weighted_interleave) == 0) return;
  if (const int refused = interleave(made, page_policy::interleave); refused != 0) fall_short(binding_refused(refused));
}

void placed_memory::place_by_weight(placed_block& made, const std::vector<node_id>& nodes,
                                    const std::vector<double>& weights) {
  if (has_one_node()) return;
  const page_split meant = split_at(made.extent, borders_by_weight(weights), nodes);
  (void)bind(made, within_room(made, meant, meant), page_policy::prefer);
}

/// The node for each of `weights`, by the system's number. Several weights may name one node; each number is looked up
/// once. All replaced nodes together are one fact.
std::vector<node_id> placed_memory::nodes_of(std::span<const node_weight> weights) {
  // Free memory is not asked here; within_room() asks for all weights together.
  const free_memory not_known = [](node_id) { return std::nullopt; };
  std::map<unsigned, node_choice> chosen;
  std::size_t replaced = 0;
  std::string why;
  std::vector<node_id> nodes;
  nodes.reserve(weights.size());
  for (const node_weight& one : weights) {
    const auto [at, is_new] = chosen.try_emplace(one.os_node);
    if (is_new) at->second = choose_node(where(), os_index{one.os_node}, 0, not_known);
    nodes.push_back(at->second.node.value_or(node_id{0}));
    if (!is_new || at->second.why_not.empty()) continue;
    if (++replaced == 1) why = at->second.why_not;
  }
  if (replaced > 1)
    why += "; and the same goes for " + std::to_string(replaced - 1) + " more of the nodes that were named";
  if (replaced > 0)
    fall_short({"memory is not on the node that was asked for", "weights of nodes", why,
                "name nodes that numactl --hardware lists with memory"});
  return nodes;
}

void placed_memory::place_by_given_weights(placed_block& made) {
  const std::vector<node_weight>& given = made.options.where.weights;
  const std::vector<node_id> nodes = nodes_of(given);
  std::vector<double> weights;
  for (const node_weight& one : given) weights.push_back(one.weight);
  (void)borders_by_weight(weights);  // throws on every machine if a weight is wrong
  if (made.options.where.how == placing::rule::by_weights) place_by_weight(made, nodes, weights);
  else place_in_turn(made, nodes, weights);
}

/// Replaces each node that has too little free memory for its part by the nearest node that has room. `changed`: the
/// part of `meant` that is new.
page_split placed_memory::within_room(const placed_block& block, const page_split& meant, const page_split& changed) {
  std::map<node_id, std::uint64_t> needs;
  for (const page_run& run : changed) needs[run.node] += (run.end - run.begin) * block.extent.page_bytes;
  const free_memory free = free_now();
  std::map<node_id, node_id> replaced;
  for (auto& [node, bytes] : needs) {
    if (free(node).value_or(bytes) < bytes) bytes -= bytes_there(block, changed, node);
    const node_choice chosen = choose_node(where(), node, bytes, free);
    if (!chosen.why_not.empty())
      fall_short({"a part of a placed block is not on its node",
                  "a block of " + std::to_string(block.extent.bytes) + " bytes", chosen.why_not,
                  "use less memory on that node, or another placing"});
    replaced[node] = chosen.node.value_or(node);
  }
  page_split made;
  for (page_run run : meant) {
    if (const auto other = replaced.find(run.node); other != replaced.end()) run.node = other->second;
    add_run(made, run);
  }
  return made;
}

/// False: the system refused, and first touch decides.
bool placed_memory::bind(const placed_block& block, const page_split& runs, page_policy how) {
  if (not_to_bind_ != 0 && !used_memory.is_strict()) {
    fall_short(binding_refused(not_to_bind_));  // this block misses it, too
    return false;
  }
  for (const page_run& run : runs) {
    const os_index node = where().at(run.node).os;
    const std::size_t bytes = (run.end - run.begin) * block.extent.page_bytes;
    const std::span<const os_index> nodes =
        how == page_policy::first_touch ? std::span<const os_index>() : std::span<const os_index>(&node, 1);
    const int refused = system_->set_policy(block.page(run.begin), bytes, how, nodes);
    if (refused == 0) continue;
    fall_short(binding_refused(refused));
    if (refused == EPERM || refused == ENOSYS) not_to_bind_ = refused;
    return false;
  }
  return true;
}

// --- facts ---

void placed_memory::fall_short(memory_shortfall fact) {
  ++times_short_;
  if (used_memory.is_strict())
    throw error("nearfork: strict mode, and memory could not be had as asked: " + fact.what + " (" + fact.where +
                "): " + fact.why + "; " + fact.remedy);
  fact.at = used_memory.count_shortfall();
  const auto known = std::ranges::find_if(
      shortfalls_, [&](const memory_shortfall& one) { return one.what == fact.what && one.why == fact.why; });
  const auto number = static_cast<std::size_t>(known - shortfalls_.begin());
  if (known != shortfalls_.end()) known->at = fact.at;
  else if (shortfalls_.size() < most_told) shortfalls_.push_back(std::move(fact));
  else {
    ++untold_;
    last_untold_at_ = fact.at;
    return;
  }
  if (being_made_ != nullptr && std::ranges::find(being_made_->misses, number) == being_made_->misses.end())
    being_made_->misses.push_back(number);
}

void placed_memory::note(memory_shortfall fact) {
  const std::lock_guard lock(mutex_);
  fall_short(std::move(fact));
}

memory_totals placed_memory::totals() const {
  const std::lock_guard lock(mutex_);
  memory_totals sum{.blocks = blocks_.size(),
                    .blocks_made = blocks_made_,
                    .blocks_reused = blocks_reused_,
                    .kept_bytes = kept_.bytes(),
                    .moved_bytes = moved_bytes_,
                    .stuck_bytes = stuck_bytes_};
  for (const auto& [slot, block] : blocks_) sum.bytes += block.extent.bytes;
  return sum;
}

std::vector<memory_shortfall> placed_memory::shortfalls() const {
  const std::lock_guard lock(mutex_);
  std::vector<memory_shortfall> told = shortfalls_;
  if (untold_ > 0)
    told.push_back({std::to_string(untold_) + " more times memory could not be had as asked", "memory of this process",
                    "only the first " + std::to_string(most_told) + " are told one by one", "see those",
                    last_untold_at_});
  return told;
}

}  // namespace nearfork
