#include <cstdio>
#include <memory>

#include <nearfork/nearfork.hpp>

struct node {
  int value = 1;
  std::unique_ptr<node> left, right;
};

std::unique_ptr<node> full_tree(int depth) {
  auto made = std::make_unique<node>();
  if (depth > 0) {
    auto [left, right] =
        nearfork::fork_join([=] { return full_tree(depth - 1); }, [=] { return full_tree(depth - 1); });
    made->left = std::move(left);
    made->right = std::move(right);
  }
  return made;
}

long sum(const node* at) {
  if (at == nullptr) return 0;
  const auto [left, right] =
      nearfork::fork_join([=] { return sum(at->left.get()); }, [=] { return sum(at->right.get()); });
  return at->value + left + right;
}

int main() {
  const long nodes = sum(full_tree(12).get());
  const bool right = nodes == (2L << 12) - 1;
  std::printf("tree: %ld nodes, %s\n", nodes, right ? "as it should be" : "WRONG");
  return right ? 0 : 1;
}
