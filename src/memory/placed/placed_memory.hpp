// The placed blocks of a process: made, found, moved, freed; and what could not be had for them.
//
// One lock guards the parts; it is held for a batch of pages at most, so that a thread which allocates or frees does
// not wait for all that is being moved. find() takes none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <nearfork/memory_map.hpp>
#include <nearfork/memory_options.hpp>

#include "machine/model/machine.hpp"
#include "memory/blocks/block_table.hpp"
#include "memory/placed/block_placer.hpp"
#include "memory/placed/block_supply.hpp"
#include "memory/placed/node_shares.hpp"
#include "memory/placed/page_binder.hpp"
#include "memory/placed/page_mover.hpp"
#include "memory/placed/shortfall_book.hpp"
#include "memory/system/machine_nodes.hpp"
#include "memory/system/os_memory.hpp"
#include "memory/system/own_allocations.hpp"
#include "memory/system/region_memory.hpp"

namespace nearfork {

class placed_memory final : public region_memory {
 public:
  /// Not called before something must be known of the nodes, and then without the lock.
  using machine_reader = machine_nodes::machine_reader;
  placed_memory(std::unique_ptr<os_memory> system, machine_reader read_machine);
  /// Takes a machine that is known already.
  placed_memory(std::unique_ptr<os_memory> system, std::shared_ptr<const machine> where);
  /// Unmaps what was not freed.
  ~placed_memory() override;
  placed_memory(const placed_memory&) = delete;
  placed_memory& operator=(const placed_memory&) = delete;

  // --- blocks ---
  /// Untouched pages that read as zero. Throws nearfork::error.
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment, const memory_options& options);
  /// A block on the pages of a freed block; the old content is still there. nullptr: no such pages are kept. O(kept).
  [[nodiscard]] void* reuse(std::size_t bytes, std::size_t alignment, const memory_options& options);
  /// False: no block begins there. On a machine with one node pages are kept for reuse() up to kept_blocks::most_bytes;
  /// the system may have them when it is short of memory.
  bool free(void* begin) noexcept { return free(begin, unknown_nodes::read); }
  /// What free() does to learn whether the machine has one node, if that is not known yet.
  enum class unknown_nodes : std::uint8_t {
    read,           // the machine, which loads hwloc
    take_for_many,  // keeps no pages; for callers that must not load a library
  };
  bool free(void* begin, unknown_nodes if_unknown) noexcept;
  /// The block that holds an address; any thread, no lock.
  [[nodiscard]] std::optional<found_block> find(const void* address) const noexcept { return table_.find(address); }
  [[nodiscard]] memory_map where_lies(const void* begin, std::size_t bytes) const;

  // --- for regions ---
  [[nodiscard]] region_data data_of(std::string_view region) const override;
  void count_iteration(std::string_view region) override;
  /// In strict mode throws nearfork::error where something cannot be had.
  move_outcome follow(const split_wish& wish) override;
  move_outcome take_back(std::string_view region, std::uint64_t most_moved_bytes) override;
  [[nodiscard]] data_layout layout_for(const split_wish& wish) override;

  // --- facts ---
  [[nodiscard]] bool is_of(const machine& where) override;
  [[nodiscard]] bool any_blocks() const noexcept override { return table_.any(); }
  [[nodiscard]] std::vector<living_block> living() const override;
  [[nodiscard]] int find_nodes(std::span<std::byte* const> pages, std::span<int> nodes) const override {
    return system_->locate(pages, nodes);
  }
  [[nodiscard]] memory_totals totals() const override;
  [[nodiscard]] std::vector<memory_shortfall> shortfalls() const override;
  void give_back_kept() noexcept override;
  /// Notes what others could not have of memory. In strict mode throws nearfork::error instead.
  void note(memory_shortfall fact);

  /// Called around fork(), so that in the child no other thread holds the lock.
  void before_fork() { mutex_.lock(); }
  void after_fork() { mutex_.unlock(); }

 private:
  placed_memory(std::unique_ptr<os_memory> system, machine_reader read_machine, std::shared_ptr<const machine> where);
  /// Call it without the lock; see machine_nodes::read().
  void know_machine();
  [[nodiscard]] bool has_only_one_node(unknown_nodes if_unknown) noexcept;
  bool try_keep(placed_block& freed, unknown_nodes if_unknown) noexcept;
  [[nodiscard]] std::vector<block_id> led_by(std::string_view region) const;

  const std::unique_ptr<os_memory> system_;
  mutable lock_of_own_data mutex_;
  // All below is guarded by the lock, except for what each part says.
  machine_nodes nodes_;
  shortfall_book book_;
  block_table table_;
  block_supply supply_;
  page_binder binder_;
  node_shares shares_;
  block_placer placer_;
  page_mover mover_;
  std::uint64_t blocks_reused_ = 0;
};

/// That of the process, made by the first call and never destroyed: arrays may outlive everything else.
[[nodiscard]] placed_memory& process_memory();

}  // namespace nearfork
