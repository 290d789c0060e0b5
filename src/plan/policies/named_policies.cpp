// The policies by name. A new policy is one more row here, and nothing elsewhere.
#include <nearfork/config.hpp>
#include <nearfork/error.hpp>

#include "base/text/message_text.hpp"
#include "base/text/word_choice.hpp"
#include "plan/plans/policy.hpp"
#include "plan/policies/aaws_policy.hpp"
#include "plan/policies/acab_policy.hpp"
#include "plan/policies/auto_policy.hpp"
#include "plan/policies/bats_policy.hpp"
#include "plan/policies/cab_policy.hpp"
#include "plan/policies/laws_policy.hpp"
#include "plan/policies/random_policy.hpp"
#include "plan/policies/saws_policy.hpp"

namespace nearfork {
namespace {

std::unique_ptr<policy> bats(std::string_view name, bats_policy::parts_used used, locate_rule rule = locate_rule::first,
                             node_order order = node_order::system) {
  return std::make_unique<bats_policy>(name, used, rule, order);
}

constexpr bats_policy::parts_used all_of_bats{.by_bandwidth = true, .balanced = true, .located = true};

struct registered {
  std::string_view name;
  std::unique_ptr<policy> (*make)();
};

constexpr registered registry[] = {
    {"random",
     []() -> std::unique_ptr<policy> { return std::make_unique<random_policy>(random_policy::workers::pinned); }},
    {"random-unpinned",
     []() -> std::unique_ptr<policy> { return std::make_unique<random_policy>(random_policy::workers::unpinned); }},
    {"acab",
     []() -> std::unique_ptr<policy> {
       return std::make_unique<acab_policy>(acab_policy::sizes::profiled_or_by_branching);
     }},
    {"cab", []() -> std::unique_ptr<policy> { return std::make_unique<cab_policy>(); }},
    {"cats", []() -> std::unique_ptr<policy> { return std::make_unique<acab_policy>(acab_policy::sizes::profiled); }},
    {"cats-even",
     []() -> std::unique_ptr<policy> {
       return std::make_unique<acab_policy>(acab_policy::sizes::profiled, acab_policy::start::even);
     }},
    {"laws", []() -> std::unique_ptr<policy> { return std::make_unique<laws_policy>(laws_policy::subtrees::packed); }},
    {"laws-nc",
     []() -> std::unique_ptr<policy> { return std::make_unique<laws_policy>(laws_policy::subtrees::whole); }},
    {"laws-printed",
     []() -> std::unique_ptr<policy> {
       return std::make_unique<laws_policy>(laws_policy::subtrees::packed, tuning_rule{.as_printed = true});
     }},
    {"saws", []() -> std::unique_ptr<policy> { return std::make_unique<saws_policy>(saws_policy::variant::whole); }},
    {"saws-printed",
     []() -> std::unique_ptr<policy> { return std::make_unique<saws_policy>(saws_policy::variant::as_printed); }},
    {"saws-migrate",
     []() -> std::unique_ptr<policy> { return std::make_unique<saws_policy>(saws_policy::variant::with_moves); }},
    {"saws-noalpha",
     []() -> std::unique_ptr<policy> { return std::make_unique<saws_policy>(saws_policy::variant::equal_shares); }},
    {"saws-psm",
     []() -> std::unique_ptr<policy> { return std::make_unique<saws_policy>(saws_policy::variant::always_monopoly); }},
    {"saws-psd",
     []() -> std::unique_ptr<policy> {
       return std::make_unique<saws_policy>(saws_policy::variant::always_distribution);
     }},
    {"aaws", []() -> std::unique_ptr<policy> { return std::make_unique<aaws_policy>(); }},
    {"bats", []() { return bats("bats", all_of_bats); }},
    {"bats-best", []() { return bats("bats-best", all_of_bats, locate_rule::best); }},
    {"bats-domain", []() { return bats("bats-domain", all_of_bats, locate_rule::first, node_order::domain); }},
    {"bats-nh", []() { return bats("bats-nh", {.balanced = true, .located = true}); }},
    {"bats-nb", []() { return bats("bats-nb", {.by_bandwidth = true, .located = true}); }},
    {"bats-nl", []() { return bats("bats-nl", {.by_bandwidth = true, .balanced = true}); }},
    {"bats-h", []() { return bats("bats-h", {.by_bandwidth = true}); }},
    {"bats-b", []() { return bats("bats-b", {.balanced = true}); }},
    {"bats-l", []() { return bats("bats-l", {.located = true}); }},
    {"auto", []() -> std::unique_ptr<policy> { return std::make_unique<auto_policy>(); }},
};

}  // namespace

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const registered& one : registry) names.emplace_back(one.name);
  return names;
}

std::unique_ptr<policy> make_policy(std::string_view name) {
  for (const registered& one : registry)
    if (one.name == name) return one.make();
  throw error("no policy is called " + quoted(name) + suggestion(name, policy_names()));
}

}  // namespace nearfork
