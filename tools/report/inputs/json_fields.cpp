#include "tools/report/inputs/json_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <nearfork/error.hpp>

#include "base/text/message_text.hpp"

namespace nearfork::tools {
namespace {

/// "line 3, column 7" of the byte at `place`, both from 1.
std::string line_and_column(std::string_view text, std::size_t place) {
  const std::string_view before = text.substr(0, std::min(place, text.size()));
  const auto lines = std::ranges::count(before, '\n');
  const std::size_t last = before.rfind('\n');
  const std::size_t column = last == std::string_view::npos ? before.size() : before.size() - last - 1;
  return fmt::format("line {}, column {}", lines + 1, column + 1);
}

}  // namespace

nlohmann::json parse_json(std::string_view text, const std::string& file) {
  try {
    return nlohmann::json::parse(text.begin(), text.end());
  } catch (const nlohmann::json::parse_error& fault) {
    const std::size_t place = fault.byte == 0 ? 0 : fault.byte - 1;
    throw error(fmt::format("nearfork: {}, {}: {}; write the file again", file, line_and_column(text, place),
                            place >= text.size() ? "the JSON ends here before it is complete" : "this is no JSON"));
  } catch (const nlohmann::json::exception&) {
    throw error("nearfork: " + file + ": a number of the JSON is too large; write the file again");
  }
}

json_fields::json_fields(const nlohmann::json& value, std::string file, std::string remedy, std::string path)
    : value_(&value), file_(std::move(file)), remedy_(std::move(remedy)), path_(std::move(path)) {
  if (!value.is_object()) refuse(path_, std::string("expected an object, found ") + value.type_name());
}

void json_fields::refuse(const std::string& path, const std::string& fault) const {
  throw error("nearfork: " + file_ + (path.empty() ? "" : ", member " + nearfork::quoted(path)) + ": " + fault + "; " +
              remedy_);
}

const nlohmann::json& json_fields::member(const char* name, const char* wanted) const {
  const auto found = value_->find(name);
  if (found == value_->end()) refuse(path_of(name), std::string("is missing, expected ") + wanted);
  return *found;
}

std::uint64_t json_fields::whole(const char* name) const {
  const nlohmann::json& value = member(name, "a whole number");
  if (!value.is_number_unsigned())
    refuse(path_of(name),
           "expected a whole number of at least 0, found " + (value.is_number() ? value.dump() : value.type_name()));
  return value.get<std::uint64_t>();
}

double json_fields::number(const char* name, double least) const {
  const nlohmann::json& value = member(name, "a number");
  if (!value.is_number()) refuse(path_of(name), std::string("expected a number, found ") + value.type_name());
  const auto made = value.get<double>();
  if (!(made >= least)) refuse(path_of(name), fmt::format("expected a number of at least {}, found {}", least, made));
  return made;
}

std::optional<double> json_fields::number_if_there(const char* name, double least) const {
  return has(name) ? std::optional(number(name, least)) : std::nullopt;
}

std::string json_fields::text_of(const nlohmann::json& value, const std::string& path) const {
  if (!value.is_string()) refuse(path, std::string("expected a text, found ") + value.type_name());
  return value.get<std::string>();
}

std::string json_fields::text(const char* name) const {
  return text_of(member(name, "a text"), path_of(name));
}

std::string json_fields::text_if_there(const char* name) const {
  return has(name) ? text(name) : std::string();
}

bool json_fields::flag(const char* name) const {
  const nlohmann::json& value = member(name, "true or false");
  if (!value.is_boolean()) refuse(path_of(name), std::string("expected true or false, found ") + value.type_name());
  return value.get<bool>();
}

json_fields json_fields::object(const char* name) const {
  return {member(name, "an object"), file_, remedy_, path_of(name)};
}

std::vector<json_fields> json_fields::objects(const char* name) const {
  const nlohmann::json& value = member(name, "a list");
  if (!value.is_array()) refuse(path_of(name), std::string("expected a list, found ") + value.type_name());
  std::vector<json_fields> made;
  for (std::size_t i = 0; i < value.size(); ++i)
    made.emplace_back(value[i], file_, remedy_, fmt::format("{}[{}]", path_of(name), i));
  return made;
}

std::vector<std::string> json_fields::texts(const char* name) const {
  const nlohmann::json& value = member(name, "a list of texts");
  if (!value.is_array()) refuse(path_of(name), std::string("expected a list of texts, found ") + value.type_name());
  std::vector<std::string> made;
  for (std::size_t i = 0; i < value.size(); ++i)
    made.push_back(text_of(value[i], fmt::format("{}[{}]", path_of(name), i)));
  return made;
}

std::vector<std::uint64_t> json_fields::wholes(const char* name) const {
  const nlohmann::json& value = member(name, "a list of whole numbers");
  if (!value.is_array())
    refuse(path_of(name), std::string("expected a list of whole numbers, found ") + value.type_name());
  std::vector<std::uint64_t> made;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (!value[i].is_number_unsigned())
      refuse(fmt::format("{}[{}]", path_of(name), i),
             std::string("expected a whole number, found ") + value[i].type_name());
    made.push_back(value[i].get<std::uint64_t>());
  }
  return made;
}

std::vector<std::uint64_t> json_fields::wholes(const char* name, std::size_t size) const {
  std::vector<std::uint64_t> made = wholes(name);
  if (made.size() != size) refuse(path_of(name), fmt::format("expected {} whole numbers, found {}", size, made.size()));
  return made;
}

std::vector<std::pair<std::string, double>> json_fields::numbers(const char* name) const {
  const json_fields inside = object(name);
  std::vector<std::pair<std::string, double>> made;
  for (const auto& [key, value] : inside.value_->items()) made.emplace_back(key, inside.number(key.c_str()));
  return made;
}

void json_fields::require_version(std::uint64_t version) const {
  const std::uint64_t found = whole("version");
  if (found != version) refuse("version", fmt::format("this nearfork reads version {}, found {}", version, found));
}

}  // namespace nearfork::tools
