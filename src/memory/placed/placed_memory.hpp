// The placed blocks of a process: made, found, moved and freed; and the shortfalls of their memory.
//
// One lock guards the blocks. A thread holds it for a batch of pages at most, so that allocating and freeing threads do
// not wait until all pages are moved. find() takes no lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <nearfork/memory_map.hpp>
#include <nearfork/memory_options.hpp>

#include "machine/model/machine.hpp"
#include "memory/placed/kept_blocks.hpp"
#include "memory/placed/placed_block.hpp"
#include "memory/system/node_choice.hpp"
#include "memory/system/os_memory.hpp"
#include "memory/system/region_memory.hpp"

namespace nearfork {

class placed_memory final : public region_memory {
 public:
  /// Reads the machine. Called without the lock, and only once the nodes must be known.
  using machine_reader = std::function<std::shared_ptr<const machine>()>;
  placed_memory(std::unique_ptr<os_memory> system, machine_reader read_machine);
  /// For a machine that is known already.
  placed_memory(std::unique_ptr<os_memory> system, std::shared_ptr<const machine> where);
  /// Unmaps all blocks that were not freed.
  ~placed_memory() override;
  placed_memory(const placed_memory&) = delete;
  placed_memory& operator=(const placed_memory&) = delete;

  // --- blocks ---
  /// Returns untouched pages that read as zero. Throws: nearfork::error.
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment, const memory_options& options);
  /// Returns a block on the pages of a freed block, with any contents. nullptr: no kept block matches. O(kept).
  [[nodiscard]] void* reuse(std::size_t bytes, std::size_t alignment, const memory_options& options);
  /// Frees a block. False: no block begins there. On a machine with one node, up to kept_blocks::most_bytes are kept
  /// for reuse(); the system may take these pages if it is short of memory.
  bool free(void* begin) noexcept;
  /// The block that holds an address. Any thread; no lock.
  [[nodiscard]] std::optional<found_block> find(const void* address) const noexcept;
  [[nodiscard]] memory_map where_lies(const void* begin, std::size_t bytes) const;

  // --- for regions ---
  [[nodiscard]] region_data data_of(std::string_view region) const override;
  void count_iteration(std::string_view region) override;
  /// In strict mode throws nearfork::error for a shortfall.
  move_outcome follow(const split_wish& wish) override;
  move_outcome take_back(std::string_view region, std::uint64_t most_moved_bytes) override;

  // --- facts ---
  [[nodiscard]] bool is_of(const machine& where) override;
  [[nodiscard]] bool any_blocks() const noexcept override { return live_blocks_.load(seam::memory_order_relaxed) > 0; }
  [[nodiscard]] memory_totals totals() const override;
  [[nodiscard]] std::vector<memory_shortfall> shortfalls() const override;
  void give_back_kept() noexcept override;
  /// Notes a shortfall of other users of memory. In strict mode throws nearfork::error instead.
  void note(memory_shortfall fact);

  /// For fork(): takes the lock before, so that no other thread holds it in the child.
  void before_fork() { mutex_.lock(); }
  void after_fork() { mutex_.unlock(); }

 private:
  struct page_batch;
  class making;

  /// Call without mutex_: the reader's fork() handler takes it.
  void know_machine();
  [[nodiscard]] const machine& where();
  [[nodiscard]] bool has_one_node();
  [[nodiscard]] block_extent extent_of(std::size_t bytes, const memory_options& options) const;
  [[nodiscard]] mapped_memory map_pages(std::size_t usable, std::size_t reserved, std::size_t alignment);
  void enter(placed_block made);
  [[nodiscard]] bool has_only_one_node() noexcept;
  bool try_keep(const placed_block& freed) noexcept;
  void unmap(const placed_block& one) noexcept;
  [[nodiscard]] placed_block map_block(std::size_t bytes, std::size_t alignment, const memory_options& options);
  void place(placed_block& made);
  void place_on_one(placed_block& made);
  [[nodiscard]] int interleave(const placed_block& made, page_policy how);
  void place_interleaved(placed_block& made);
  void place_by_weight(placed_block& made, const std::vector<node_id>& nodes, const std::vector<double>& weights);
  [[nodiscard]] std::vector<node_id> nodes_of(std::span<const node_weight> weights);
  void place_by_given_weights(placed_block& made);
  [[nodiscard]] std::optional<std::vector<double>> bandwidths_of(std::span<const node_id> nodes);
  [[nodiscard]] std::vector<double> weights_of(const placed_block& block, std::span<const node_id> nodes,
                                               node_spread how);
  [[nodiscard]] page_split spread_inside_domains(const placed_block& block, page_split parts);
  [[nodiscard]] std::vector<node_id> turns_beside(const placed_block& block, node_id nearest);
  void place_in_turn(placed_block& made, const std::vector<node_id>& nodes, const std::vector<double>& weights);
  [[nodiscard]] bool kernel_weights_differ(std::span<const node_id> nodes);
  void place_interleaved_by_bandwidth(placed_block& made);
  void advise_huge(const placed_block& made);
  bool bind(const placed_block& block, const page_split& runs, page_policy how);
  [[nodiscard]] page_split within_room(const placed_block& block, const page_split& meant, const page_split& changed);
  [[nodiscard]] std::uint64_t bytes_there(const placed_block& block, const page_split& runs, node_id node) const;
  [[nodiscard]] free_memory free_now();

  [[nodiscard]] std::vector<block_id> led_by(std::string_view region) const;
  [[nodiscard]] placed_block* at(block_id id);
  void intend(placed_block& block, const split_wish& wish);
  static void look_again(placed_block& block);
  static void note_untouched(placed_block& block, const page_run& run, std::span<const int> lie);
  std::uint64_t move_some(placed_block& block, std::uint64_t most_pages, move_outcome& sum);
  void revert(placed_block& block);
  void take_back_some(placed_block& block, std::uint64_t most_pages, move_outcome& sum);
  [[nodiscard]] std::vector<bool> run_moves(const page_batch& moves);

  void look_for_balancing();
  [[nodiscard]] bool moves_no_more();
  void fall_short(memory_shortfall fact);

  const std::unique_ptr<os_memory> system_;
  const machine_reader read_machine_;
  mutable std::mutex mutex_;
  // All below is guarded by the lock, except atomics.
  std::shared_ptr<const machine> machine_;
  std::unique_ptr<block_registry> registry_owner_;
  std::map<std::uint32_t, placed_block> blocks_;  // by slot of the registry
  kept_blocks kept_;
  std::uint64_t blocks_made_ = 0;
  std::uint64_t blocks_reused_ = 0;
  std::uint64_t times_short_ = 0;  // how many shortfalls there were
  std::uint64_t moved_bytes_ = 0;
  std::uint64_t stuck_bytes_ = 0;
  int not_to_bind_ = 0;  // errno of a final refusal: asked again only in strict mode; 0: none
  int not_to_move_ = 0;
  std::optional<grant> balancing_{};  // the system's answer, once it was asked
  std::vector<memory_shortfall> shortfalls_;
  std::uint64_t untold_ = 0;  // shortfalls that were counted but not kept
  std::uint64_t last_untold_at_ = 0;
  placed_block* being_made_ = nullptr;

  seam::atomic<block_registry*> registry_{nullptr};  // registry_owner_, for find()
  seam::atomic<std::uint64_t> live_blocks_{0};
};

/// The placed memory of the process. The first call makes it, and it is never destroyed: arrays may outlive everything
/// else.
[[nodiscard]] placed_memory& process_memory();

}  // namespace nearfork
