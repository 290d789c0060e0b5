#include "tools/bench/request.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include <nearfork/error.hpp>

#include "base/text/message_text.hpp"
#include "base/text/word_choice.hpp"
#include "tools/options.hpp"
#include "tools/workload_words.hpp"
#include "workloads/contenders/contenders.hpp"

namespace nearfork::tools {
namespace {

struct size_request {
  std::string workload;  // empty: each
  std::string text;
};

/// A size has no colon.
size_request size_request_from(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == text.npos) return {"", text};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

std::vector<const workloads::workload*> asked_workloads(const bench_request& request) {
  std::vector<const workloads::workload*> asked;
  for (const std::string& name : request.workloads) asked.push_back(&workload_called(name));
  if (asked.empty())
    for (const workloads::workload& one : workloads::all_workloads()) asked.push_back(&one);
  return asked;
}

/// The last entry that names the workload, else the last one without a name.
std::string size_for(std::string_view workload, const std::vector<size_request>& sizes) {
  for (const std::string_view name : {workload, std::string_view{}})
    for (auto size = sizes.rbegin(); size != sizes.rend(); ++size)
      if (size->workload == name) return size->text;
  return "default";
}

void check_sizes_have_workloads(const std::vector<size_request>& sizes,
                                const std::vector<const workloads::workload*>& asked) {
  for (const size_request& size : sizes) {
    if (size.workload.empty()) continue;
    const auto& named = workload_called(size.workload);
    if (std::ranges::find(asked, &named) == asked.end())
      throw error(fmt::format("--size {}:{} is for a workload that does not run: add {} to the workloads",
                              size.workload, size.text, size.workload));
  }
}

void check_iterations_have_workloads(const bench_request& request,
                                     const std::vector<const workloads::workload*>& asked) {
  const auto iterates = [](const workloads::workload* one) { return one->sizes.has_field("iterations"); };
  if (!request.iterations || std::ranges::any_of(asked, iterates)) return;
  std::vector<std::string_view> names;
  for (const workloads::workload& one : workloads::all_workloads())
    if (iterates(&one)) names.push_back(one.name);
  throw error(fmt::format("--iterations: no workload that runs has iterations; {} have", fmt::join(names, ", ")));
}

bool is_built(std::string_view contender) {
  return std::ranges::any_of(workloads::all_workloads(), [&](const workloads::workload& one) {
    return std::ranges::any_of(workloads::contenders_of(one.name),
                               [&](const workloads::contender& each) { return each.name == contender; });
  });
}

std::vector<std::string> values_or(const std::vector<std::string>& given, std::string otherwise) {
  return given.empty() ? std::vector<std::string>{std::move(otherwise)} : given;
}

}  // namespace

void set_iterations(workloads::size_values& size, std::string_view workload, const workloads::size_rules& rules,
                    std::uint64_t iterations) {
  const auto field = std::ranges::find(rules.fields, "iterations", &workloads::size_field::name);
  if (iterations < field->least || iterations > field->most)
    throw error(fmt::format("--iterations: bad value \"{}\"; allowed for {}: {} to {}", iterations, workload,
                            field->least, field->most));
  size.at(static_cast<std::size_t>(field - rules.fields.begin())) = iterations;
}

std::vector<sized_workload> sized_workloads(const bench_request& request) {
  const auto asked = asked_workloads(request);
  std::vector<size_request> sizes;
  for (const std::string& text : request.sizes) sizes.push_back(size_request_from(text));
  check_sizes_have_workloads(sizes, asked);
  check_iterations_have_workloads(request, asked);
  std::vector<sized_workload> sized;
  for (const workloads::workload* const one : asked) {
    sized.push_back({one, size_of_workload(one->name, one->sizes, size_for(one->name, sizes), !request.graph.empty())});
    if (request.iterations && one->sizes.has_field("iterations"))
      set_iterations(sized.back().size, one->name, one->sizes, *request.iterations);
  }
  return sized;
}

std::vector<config> runtime_settings(const bench_request& request, const config& environment) {
  const auto policies = with_all(values_or(request.policies, environment.policy), policy_names());
  std::vector<config> settings;
  for (const std::string& workers : values_or(request.workers, std::to_string(environment.workers)))
    for (const std::string& policy : policies) {
      config& one = settings.emplace_back(environment);
      one.set("policy", policy, "flag --policy");
      one.set("workers", workers, "flag --workers");
    }
  return settings;
}

std::vector<std::string> known_contenders() {
  std::vector<std::string> names{"serial", "nearfork"};
  for (const std::string_view name : workloads::contender_names()) names.emplace_back(name);
  return names;
}

bool is_wanted(const bench_request& request, std::string_view contender) {
  return request.contenders.empty() || std::ranges::find(request.contenders, contender) != request.contenders.end();
}

void check_contenders(const bench_request& request) {
  const auto known = known_contenders();
  for (const std::string& name : request.contenders) {
    if (std::ranges::find(known, name) == known.end())
      throw error("--contender: " + nearfork::quoted(name) + " is not known" + suggestion(name, known));
    if (name != "serial" && name != "nearfork" && !is_built(name))
      throw error(fmt::format(
          "--contender: this build lacks {}; install oneTBB or OpenMP and configure it with NEARFORK_CONTENDERS=ON",
          name));
  }
}

}  // namespace nearfork::tools
