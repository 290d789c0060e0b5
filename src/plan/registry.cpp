#include <nearfork/config.hpp>

namespace nearfork {

std::vector<std::string> policy_names() { return {"random", "random-unpinned"}; }

}  // namespace nearfork
