#include "sim/machine/model_text.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <nearfork/error.hpp>

#include "base/text/message_text.hpp"

namespace nearfork::sim {
namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Returns the text before the first `mark`, and removes it from `rest` together with the mark.
std::string_view take_until(std::string_view& rest, char mark) {
  const auto end = std::min(rest.find(mark), rest.size());
  const std::string_view piece = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return piece;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    const auto end = std::min(text.find_first_of(blanks), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

class parser {
 public:
  explicit parser(std::string name) { made_.name = std::move(name); }

  model_text parse(std::string_view text) {
    for (std::size_t number = 1; !text.empty(); ++number) {
      line_ = number;
      parse_line(trimmed(take_until(text, '\n')));
    }
    require_known_sources();
    return std::move(made_);
  }

 private:
  void parse_line(std::string_view line) {
    if (line.empty() || line.front() == '#') return;
    if (line.front() == '[') parse_source(line.substr(1));
    else parse_entry(line);
  }

  void parse_source(std::string_view line) {
    if (line.find(']') == line.npos)
      refuse(made_, line_, "a source begins with its name in brackets: [name] where it is from");
    const std::string_view name = trimmed(take_until(line, ']'));
    const std::string_view text = trimmed(line);
    if (name.empty() || text.empty())
      refuse(made_, line_, "a source has a name in brackets, and says where it is from");
    for (const model_source& known : made_.sources)
      if (known.name == name)
        refuse(made_, line_,
               "source [" + std::string(name) + "] stands in line " + std::to_string(known.line) + " already");
    made_.sources.push_back({line_, name, text});
  }

  void parse_entry(std::string_view line) {
    if (line.find('=') == line.npos || line.find('=') > line.find('#'))
      refuse(made_, line_, quoted(line) + " is no entry; write: key = value  # where it is from");
    std::vector<std::string_view> words = words_of(take_until(line, '='));
    const std::string_view value = trimmed(take_until(line, '#'));
    if (words.empty()) refuse(made_, line_, "there is no key before the =");
    if (value.empty()) refuse(made_, line_, quoted(words.front()) + " has no value");
    model_entry entry{line_, words.front(), {words.begin() + 1, words.end()}, value, trimmed(line)};
    require_source(entry);
    require_first(entry);
    made_.entries.push_back(std::move(entry));
  }

  void require_source(const model_entry& entry) const {
    for (const std::string_view form : {"[", "estimate: ", "measured: "})
      if (entry.source.starts_with(form) && entry.source.size() > form.size()) return;
    refuse(made_, line_,
           quoted(entry.key) +
               " does not say where its value is from; write after it: # [name of a source], or # "
               "estimate: why, or # measured: how");
  }

  void require_first(const model_entry& entry) {
    std::string whole(entry.key);
    for (const std::string_view word : entry.selectors) whole.append(1, ' ').append(word);
    const auto [known, fresh] = lines_.emplace(whole, line_);
    if (!fresh) refuse(made_, line_, quoted(whole) + " stands in line " + std::to_string(known->second) + " already");
  }

  void require_known_sources() const {
    for (const model_entry& entry : made_.entries) {
      if (!entry.source.starts_with('[')) continue;
      const std::string_view name = cited(entry);
      if (std::ranges::find(made_.sources, name, &model_source::name) == made_.sources.end())
        refuse(made_, entry.line, "no line says what source [" + std::string(name.substr(0, 40)) + "] is");
    }
  }

  model_text made_;
  std::size_t line_ = 0;
  std::map<std::string, std::size_t> lines_;  // by key and selectors
};

}  // namespace

model_text parse_model_text(std::string_view text, std::string name) {
  if (text.size() > most_model_bytes)
    throw error("nearfork: " + name + " has " + std::to_string(text.size()) + " bytes; a model file has at most " +
                std::to_string(most_model_bytes));
  return parser(std::move(name)).parse(text);
}

bool is_unchecked(const model_source& source) noexcept {
  return source.text.ends_with("(unchecked)");
}

std::string_view cited(const model_entry& entry) noexcept {
  if (!entry.source.starts_with('[')) return {};
  return entry.source.substr(1, std::min(entry.source.find(']'), entry.source.size()) - 1);
}

bool is_estimate(const model_entry& entry) noexcept {
  return entry.source.starts_with("estimate: ");
}

void refuse(const model_text& where, std::size_t line, const std::string& what) {
  throw error("nearfork: " + where.name + ":" + std::to_string(line) + ": " + what);
}

}  // namespace nearfork::sim
