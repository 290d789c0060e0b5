#include "tools/topo/machines_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "machine/described/named_machines.hpp"
#include "sim/machine/model_reader.hpp"
#include "sim/machine/model_text.hpp"
#include "sim/machine/model_values.hpp"

namespace nearfork::tools {
namespace {

constexpr std::string_view opening = R"page(# Machines

Generated from machines/ by `nearfork topo --list --markdown`; a test compares them.

Machines that nobody has at hand, by name: `NEARFORK_MACHINE=opteron-8380`, `nearfork topo --machine opteron-8380`, `nearfork topo
--list`. Each is two files in `share/nearfork/machines` (`machines/` in the sources): NAME.xml, which hwloc reads, and NAME.model,
what hwloc cannot say and the simulator must know. `NEARFORK_MACHINE_FOLDER` names another folder. A program that links
the static library elsewhere needs it; `pkg-config --variable=machinefolder nearfork` says which.

A model has one set of values, whatever runs on it: no value is there for the sake of one program. Of each value the file says where
it is from: a source, `estimate:` with the reason, or `measured:`. A source that ends in "(unchecked)" was quoted without the
document at hand. What the simulator makes of them is simulated, and as good as they are.

## Your own machine

`lstopo box.xml` and `nearfork topo --measure -o box.model` on that machine; then `--machine box.xml` anywhere, or both
files in a folder of machines, where `box` is a name.

The clock is timed by chains of several instructions, each of which waits for its own last result (on x86-64 multiplications, exclusive
ors and rotations; no additions of a constant, of which newer cores execute several in a cycle). The middle one counts. If the
chains differ by more than a factor of 1.5, if the kernel's figure differs by more than a factor of 4, or if the clock is outside
0.3 to 8 GHz, it is "not measured", with the reason, and no model is written.

## The format

Lines of `key = value  # source`. A line that begins with `#` is a remark, one that begins with `[name]` says what source [name] is.
Some keys are followed by what they are about: a cache level, a kind of cores (spaces become `_`), a kind of memory, a node or package
by OS index. What is said for one kind goes before what is said for all. Everything the machine has must be said, nothing else
may be, and nothing twice; the first line that is wrong is an error with its number.

)page";

std::string number(double value) {
  return fmt::format("{:g}", value);
}

std::string keys_table() {
  std::string text = "| key | about | unit | from | to | meaning |\n|---|---|---|---|---|---|\n";
  for (const sim::model_key& key : sim::model_keys())
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", key.name, key.selectors, key.unit,
                        key.most == 0 ? "" : number(key.least), key.most == 0 ? "" : number(key.most), key.meaning);
  return text;
}

struct origins {
  std::size_t checked = 0;
  std::size_t unchecked = 0;
  std::size_t estimates = 0;
};

origins origins_of(const sim::model_text& model) {
  origins made;
  for (const sim::model_entry& one : model.entries) {
    const auto source = std::ranges::find(model.sources, sim::cited(one), &sim::model_source::name);
    if (source == model.sources.end()) ++(sim::is_estimate(one) ? made.estimates : made.checked);
    else ++(sim::is_unchecked(*source) ? made.unchecked : made.checked);
  }
  return made;
}

std::string title_of(std::string_view text) {
  const std::string_view first = text.substr(2, text.find('\n') - 2);
  return std::string(first.substr(0, first.find(". The format")));
}

std::string section(const std::string& name, const std::string& folder) {
  const auto where = named_machine(name, folder);
  const std::string text = text_of_model_file(where->model_file());
  (void)sim::load_model(*where, text, where->model_file());  // a page about a model that does not load would be useless
  const sim::model_text model = sim::parse_model_text(text, name + ".model");
  const origins from = origins_of(model);
  std::string made = fmt::format("\n### {}\n\n{}. {}.\n\n", name, title_of(text), where->summary());
  made += fmt::format(
      "Of {} values {} are from sources that were looked up, {} from sources that were not, {} are estimates.\n\n",
      model.entries.size(), from.checked, from.unchecked, from.estimates);
  for (const sim::model_source& one : model.sources) made += fmt::format("- {}: {}\n", one.name, one.text);
  return made;
}

}  // namespace

std::string machines_page(const std::string& folder) {
  std::string page(opening);
  page += keys_table() + "\n## The machines\n";
  for (const std::string& name : machine_names(folder)) page += section(name, folder);
  return page;
}

}  // namespace nearfork::tools
