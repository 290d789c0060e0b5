#include "sim/machine/model_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include <nearfork/error.hpp>

#include "base/text/number_text.hpp"
#include "base/text/word_choice.hpp"

namespace nearfork::sim {
namespace {

template <class Words>
std::string joined(std::string_view key, const Words& words) {
  std::string made(key);
  for (const auto& word : words) made.append(1, ' ').append(word);
  return made;
}

const model_key* key_called(std::string_view name) {
  const auto found = std::ranges::find(model_keys(), name, &model_key::name);
  return found == model_keys().end() ? nullptr : &*found;
}

std::vector<std::string> all_keys() {
  std::vector<std::string> known;
  for (const model_key& key : model_keys()) known.emplace_back(key.name);
  return known;
}

}  // namespace

std::string shown(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", number);
  return text;
}

std::uint64_t in_thousandths(double value) {
  return static_cast<std::uint64_t>(std::llround(value * 1000));
}

model_values::model_values(const model_text& text, std::string machine)
    : text_(text), machine_(std::move(machine)), used_(text.entries.size(), false) {
  for (std::size_t i = 0; i < text.entries.size(); ++i) {
    const model_entry& one = text.entries[i];
    if (key_called(one.key) == nullptr)
      refuse(text_, one.line,
             "there is no key " + quoted(one.key) + did_you_mean(one.key, all_keys()) + "; keys are " +
                 listed(all_keys()));
    places_.emplace(joined(one.key, one.selectors), i);
  }
}

const model_entry* model_values::entry(std::string_view key, const selectors& wanted) {
  const auto found = places_.find(joined(key, wanted));
  if (found == places_.end()) return nullptr;
  used_[found->second] = true;
  return &text_.entries[found->second];
}

double model_values::number(const model_entry& of) const {
  const model_key& key = *key_called(of.key);
  const std::string what = quoted(joined(of.key, of.selectors)) + " = " + quoted(of.value) + " is no";
  const auto read = parse_decimal(of.value);
  if (!read) refuse(text_, of.line, what + " number" + std::string(remark_on_number(of.value)));
  const double value = *read;
  if (value < key.least || value > key.most)
    refuse(text_, of.line,
           what + "t within " + shown(key.least) + " to " + shown(key.most) +
               (key.unit.empty() ? "" : " " + std::string(key.unit)));
  return value;
}

std::optional<double> model_values::find(std::string_view key, const selectors& wanted) {
  const model_entry* const found = entry(key, wanted);
  return found == nullptr ? std::nullopt : std::optional(number(*found));
}

double model_values::must(std::string_view key, const selectors& wanted) {
  if (const auto found = find(key, wanted)) return *found;
  missing(joined(key, wanted));
}

std::uint32_t model_values::whole(std::string_view key, const selectors& wanted) {
  const double value = must(key, wanted);
  if (value != std::floor(value))
    refuse(text_, entry(key, wanted)->line, joined(key, wanted) + " is not a whole number");
  return static_cast<std::uint32_t>(value);
}

std::uint64_t model_values::thousandths(std::string_view key, const selectors& wanted) {
  return in_thousandths(must(key, wanted));
}

std::optional<double> model_values::find_for_kind(std::string_view key, selectors wanted, const std::string& kind) {
  const auto general = find(key, wanted);
  wanted.push_back(kind);
  const auto own = find(key, wanted);
  return own ? own : general;
}

double model_values::must_for_kind(std::string_view key, const selectors& wanted, const std::string& kind) {
  if (const auto found = find_for_kind(key, wanted, kind)) return *found;
  missing(joined(key, wanted) + " (for cores of kind " + kind + ")");
}

std::uint32_t model_values::whole_for_kind(std::string_view key, const selectors& wanted, const std::string& kind) {
  (void)must_for_kind(key, wanted, kind);
  selectors own = wanted;
  own.push_back(kind);
  return whole(key, entry(key, own) != nullptr ? own : wanted);
}

void model_values::missing(const std::string& what) const {
  throw error("nearfork: " + text_.name + " does not say " + what + ", which " + machine_ + " needs");
}

void model_values::wrong(const std::string& what) const {
  throw error("nearfork: " + text_.name + ": " + what);
}

void model_values::require_all_used() const {
  for (std::size_t i = 0; i < used_.size(); ++i)
    if (!used_[i])
      refuse(text_, text_.entries[i].line,
             quoted(joined(text_.entries[i].key, text_.entries[i].selectors)) + " is about nothing that " + machine_ +
                 " has");
}

}  // namespace nearfork::sim
