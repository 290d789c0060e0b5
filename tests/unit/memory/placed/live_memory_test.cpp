// The system calls themselves, on the machine that runs the tests. Calls that the machine refuses are named and
// skipped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "machine/model/machine.hpp"
#include "memory/placed/placed_memory.hpp"
#include "memory/system/node_choice.hpp"
#include "memory/system/os_memory.hpp"

namespace nearfork {
namespace {

using testing::ElementsAre;
using testing::Lt;

class live_memory : public testing::Test {
 protected:
  ~live_memory() override {
    if (got.begin != nullptr) system->unmap(got.begin, reserved);
  }
  void map(std::size_t bytes) {
    got = system->map(bytes, reserved, 2 * reserved);
    ASSERT_NE(got.begin, nullptr) << std::strerror(got.error_number);
  }
  [[nodiscard]] std::vector<std::byte*> pages(std::size_t count) const {
    std::vector<std::byte*> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(got.begin + i * system->page_bytes());
    return all;
  }
  [[nodiscard]] os_index a_node() const {
    const auto where = live_machine();
    return where->at(nodes_with_memory(*where).front()).os;
  }
  static bool is_refusal(int error_number) { return error_number == EPERM || error_number == ENOSYS; }

  std::unique_ptr<os_memory> system = live_os_memory();
  std::size_t reserved = std::size_t{4} << 20;
  mapped_memory got{};
};

TEST_F(live_memory, is_aligned_and_reads_as_zero) {
  map(3 * system->page_bytes());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(got.begin) % (2 * reserved), 0U);
  for (std::byte* const at : pages(3)) EXPECT_EQ(*at, std::byte{0});
  std::memset(got.begin, 1, 3 * system->page_bytes());
}

TEST_F(live_memory, ends_where_it_says) {
  map(system->page_bytes());
  EXPECT_DEATH(*reinterpret_cast<volatile char*>(got.begin + system->page_bytes()) = 1, "");
}

TEST_F(live_memory, that_cannot_be_had_says_why) {
  const mapped_memory none = system->map(std::size_t{1} << 50, std::size_t{1} << 50, reserved);
  EXPECT_EQ(none.begin, nullptr);
  EXPECT_EQ(none.error_number, ENOMEM);
}

TEST_F(live_memory, lies_on_the_node_that_it_is_bound_to) {
  map(4 * system->page_bytes());
  const os_index node = a_node();
  for (const page_policy how : {page_policy::bind, page_policy::prefer, page_policy::interleave}) {
    const int refused = system->set_policy(got.begin, 4 * system->page_bytes(), how, std::vector{node});
    if (is_refusal(refused)) GTEST_SKIP() << "skipped: mbind: " << std::strerror(refused);
    EXPECT_EQ(refused, 0) << std::strerror(refused);
  }
  for (std::byte* const at : pages(2)) *at = std::byte{1};
  std::vector<int> lie(4);
  const int refused = system->locate(pages(4), lie);
  if (is_refusal(refused)) GTEST_SKIP() << "skipped: move_pages: " << std::strerror(refused);
  const int number = static_cast<int>(number_of(node));
  EXPECT_THAT(lie, ElementsAre(number, number, Lt(0), Lt(0)));
  std::vector<int> outcomes(2);
  EXPECT_EQ(system->move(pages(2), std::vector<int>(2, number), outcomes), 0);
  EXPECT_EQ(outcomes, (std::vector<int>{number, number}));
  EXPECT_EQ(system->set_policy(got.begin, 4 * system->page_bytes(), page_policy::first_touch, {}), 0);
}

// One node is enough to see that the kernel knows the policy and that the policy's number is right.
TEST_F(live_memory, is_interleaved_by_the_kernels_weights_where_it_has_them) {
  map(4 * system->page_bytes());
  const os_index node = a_node();
  if (!system->has_weighted_interleave()) GTEST_SKIP() << "skipped: no weighted interleave before Linux 6.9";
  const int refused =
      system->set_policy(got.begin, 4 * system->page_bytes(), page_policy::weighted_interleave, std::vector{node});
  if (is_refusal(refused)) GTEST_SKIP() << "skipped: mbind: " << std::strerror(refused);
  ASSERT_EQ(refused, 0) << std::strerror(refused);
  EXPECT_GE(system->interleave_weight(node).value_or(0), 1U);
  EXPECT_EQ(system->interleave_weight(os_index{1023}), std::nullopt);
  int mode = -1;
  ASSERT_EQ(::syscall(SYS_get_mempolicy, &mode, nullptr, 0UL, got.begin, static_cast<unsigned long>(MPOL_F_ADDR)), 0);
  EXPECT_EQ(mode, 6) << "MPOL_WEIGHTED_INTERLEAVE of include/uapi/linux/mempolicy.h";
  *got.begin = std::byte{1};
  std::vector<int> lie(1);
  ASSERT_EQ(system->locate(pages(1), lie), 0);
  EXPECT_EQ(lie[0], static_cast<int>(number_of(node)));
}

TEST_F(live_memory, refuses_a_node_that_is_not_there) {
  map(system->page_bytes());
  const int refused =
      system->set_policy(got.begin, system->page_bytes(), page_policy::bind, std::vector{os_index{1023}});
  EXPECT_NE(refused, 0);
}

TEST_F(live_memory, knows_what_is_free) {
  const auto free = system->free_bytes(a_node());
  if (!free) GTEST_SKIP() << "skipped: /sys/devices/system/node is not there";
  EXPECT_GT(*free, 0U);
  EXPECT_LT(*free, std::uint64_t{1} << 60);
  EXPECT_EQ(system->free_bytes(os_index{1023}), 0U) << "what has gone offline gives nothing";
}

}  // namespace
}  // namespace nearfork
