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

constexpr std::string_view page_opening = R"page(# Machines

`nearfork topo --list --markdown` prints this page from the files in machines/. A test compares the two.

nearfork knows some machines by name, so that a program can plan for a machine that is not at hand, and the simulator can run on
it: `NEARFORK_MACHINE=opteron-8380`, `nearfork topo --machine opteron-8380`. `nearfork topo --list` lists the names.

A machine has two files in `share/nearfork/machines` (`machines/` in the sources). hwloc reads NAME.xml. NAME.model holds what the
simulator must know besides. `NEARFORK_MACHINE_FOLDER` names another folder. A program that links the static library and lies
outside nearfork's installation may need this variable. `pkg-config --variable=machinefolder nearfork` prints the folder.

A model has one set of values, which holds for every program: no value was fitted to one program. The file gives the origin of each
value: a source, `estimate:` with the reason, or `measured:`. A source that ends in "(unchecked)" was quoted without the document
at hand. Results of the simulator are as good as these values.

## Your own machine

On that machine, run `lstopo box.xml` and `nearfork topo --measure -o box.model`. Then use `--machine box.xml` anywhere. If you put
both files into a folder of machines, `box` is a name there.

`--measure` times the clock with chains of several instructions. In a chain each instruction waits for the result of the one before.
On x86-64 the chains are of multiplications, exclusive ors and rotations. Additions of a constant are not used, because newer cores
execute several of them in a cycle. The middle result is the clock. It counts as "not measured" if the chains differ by more than a
factor of 1.5, if the kernel's figure differs by more than a factor of 4, or if the clock is outside 0.3 to 8 GHz. The command then
prints the reason and writes no model.

Without a model (`box.xml` alone, a synthetic description, or the machine that runs the command) the simulator takes bandwidths,
latencies and clocks that the description has, and assumes the rest:

| of | assumed |
|---|---|
| memory | 20 GB/s and 90 ns for each node |
| remote memory | as much later as the distance table says; without a table, half as late again in the same package and twice as late in another |
| cores | 2.5 GHz, 2 operations in a cycle, 8 accesses at once, 6 ns for a wrong guess |
| caches | 1.5, 4.5, 18 and 30 ns for L1 to L4, 16 ways, lines of 64 bytes if the description has none |
| links, power | none |

Distances count by what the table has for a node's own memory, so a table of nanoseconds is read right. A latency or bandwidth outside
the bounds below is an error, also one that a distance gives.

These numbers suit no machine in particular: policies that gain 4% with a machine's own model have gained 54% with them.
`nearfork sim`, `advise`, `report` and `reproduce` print what they assumed, and their JSON has it (`assumed`, `notes`,
`conditions`); `--csv` has no place for it. A `box.model` that is a link to nothing is an error.

Of caches without a model, the size of lines is that of the description, if all caches have the same; memory-side caches are not
simulated. A cache whose size is not known (`cache_size="0"`) is left out, with a model, too. Without any cache each access goes to
memory. If no memory node has a size, none is ever full. Each of these is printed with the assumed numbers.

## The format

A model has lines of `key = value  # source`. A line that begins with `#` is a remark. A line that begins with `[name]` says what
source [name] is. Some keys take selectors, which the column "about" shows: a cache level, a kind of cores (write `_` for a space), a
kind of memory, or the OS index of a node or package. A value for one kind overrides the value for all kinds. A model must have a
value for everything that the machine has, for nothing else, and for nothing twice. The first wrong line is an error, and its message
gives the line number.

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
      "The model has {} values: {} from sources that were looked up, {} from unchecked sources, {} estimates.\n\n",
      model.entries.size(), from.checked, from.unchecked, from.estimates);
  for (const sim::model_source& one : model.sources) made += fmt::format("- {}: {}\n", one.name, one.text);
  return made;
}

}  // namespace

std::string machines_page(const std::string& folder) {
  std::string page(page_opening);
  page += keys_table() + "\n## The machines\n";
  for (const std::string& name : machine_names(folder)) page += section(name, folder);
  return page;
}

}  // namespace nearfork::tools
