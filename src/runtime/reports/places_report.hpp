// Where data lie, as parts of a run report.
#pragma once

#include <iosfwd>

#include <nearfork/run_report.hpp>

#include "runtime/reports/json_writer.hpp"

namespace nearfork {

/// Lines of text: what could not be learned, the blocks with their pages by node, and the traffic. Nothing if no report
/// was asked for.
void write_places(std::ostream& out, const places_report& places);
/// The member "places".
void write_places(json_writer& out, const places_report& places);

}  // namespace nearfork
