#include "arrows/symbols.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace nearfork::arrows {
namespace {

std::string text_of_command(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"),
                                                   [](FILE* open) { return pclose(open); });
  if (!pipe) throw std::runtime_error("cannot run " + command);
  std::string text;
  char part[4096];
  while (const std::size_t count = std::fread(part, 1, sizeof part, pipe.get())) text.append(part, count);
  return text;
}

/// ".../Unity/unity_src_plan_plans_cxx.cxx" has `#include "..."` for each source of one room, compiled together.
std::string first_source_of_unit(const std::string& unit) {
  std::ifstream text(unit);
  const std::string_view directive = "#include \"";
  for (std::string line; std::getline(text, line);)
    if (line.starts_with(directive)) return line.substr(directive.size(), line.rfind('"') - directive.size());
  throw std::runtime_error(unit + " includes no source");
}

/// ".../nearfork_objects.dir/src/plan/plans/plan.cpp.o" -> "src/plan/plans/plan.cpp". Of sources that are compiled
/// together: the first one.
std::string source_of(const std::string& object) {
  const std::string without_suffix = object.substr(0, object.rfind('.'));
  const bool is_unit = object.find("/Unity/") != std::string::npos;
  const std::string source = is_unit ? first_source_of_unit(without_suffix) : without_suffix;
  const auto begin = source.rfind("/src/");
  if (begin == std::string::npos) throw std::runtime_error(object + " is no object of a file below src/");
  return source.substr(begin + 1);
}

/// A line of `nm -A -P`: "path: symbol type value size".
void add_symbol(const std::string& line, std::map<std::string, object_symbols>& objects) {
  const auto colon = line.find(": ");
  if (colon == std::string::npos) return;
  object_symbols& one = objects[line.substr(0, colon)];
  std::istringstream words(line.substr(colon + 2));
  std::string symbol;
  char type = ' ';
  words >> symbol >> type;
  if (type == 'U' || type == 'w' || type == 'v') one.needed.insert(symbol);
  else if (type == 'u' || (type >= 'A' && type <= 'Z')) one.defined.insert(symbol);
}

std::string readable(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                    std::free);
  return status == 0 ? name.get() : symbol;
}

/// "plan" for "src/plan/plans/plan.cpp".
std::string room_of_source(const std::string& source) {
  return source.substr(4, source.find('/', 4) - 4);
}

bool may_need(const std::string& user, const std::string& definer) {
  const std::string from = room_of_source(user);
  const std::string to = room_of_source(definer);
  const auto arrows = arrows_of_rooms().find(from);
  return from == to || (arrows != arrows_of_rooms().end() && arrows->second.contains(to));
}

}  // namespace

std::vector<object_symbols> read_objects(const std::string& nm, const std::string& list_file) {
  std::ifstream list(list_file);
  std::string command = nm + " -A -P";
  for (std::string path; std::getline(list, path);) command += " '" + path + "'";
  std::istringstream lines(text_of_command(command));
  std::map<std::string, object_symbols> by_path;
  for (std::string line; std::getline(lines, line);) add_symbol(line, by_path);
  if (by_path.empty()) throw std::runtime_error(nm + " says nothing of the objects that " + list_file + " names");
  std::vector<object_symbols> objects;
  for (auto& [path, one] : by_path) {
    one.source = source_of(path);
    objects.push_back(std::move(one));
  }
  return objects;
}

std::vector<std::string> symbol_violations(const std::vector<object_symbols>& objects) {
  std::map<std::string, names> definers;
  for (const object_symbols& one : objects)
    for (const std::string& symbol : one.defined) definers[symbol].insert(one.source);
  std::vector<std::string> found;
  for (const object_symbols& one : objects)
    for (const std::string& symbol : one.needed) {
      const auto known = definers.find(symbol);
      if (known == definers.end()) continue;  // a symbol of another library
      const names& sources = known->second;
      if (std::ranges::any_of(sources, [&](const std::string& source) { return may_need(one.source, source); }))
        continue;
      found.push_back(one.source + ": needs " + readable(symbol) + ", which " + *sources.begin() +
                      " defines: no arrow leads there");
    }
  return found;
}

}  // namespace nearfork::arrows
