// What every model test expects of an exploration.
#pragma once

#include <gtest/gtest.h>

#include <source_location>
#include <string>

#include "model/explorer.hpp"

namespace nearfork::model {

/// No execution failed, and all executions within the bounds were tried: more than one, so threads did meet.
inline void expect_holds(const outcome& result, const std::source_location& where = std::source_location::current()) {
  const testing::ScopedTrace called(where.file_name(), static_cast<int>(where.line()), "expect_holds");
  EXPECT_EQ(result.failure, "") << result.schedule;
  EXPECT_TRUE(result.complete) << result.executions;
  EXPECT_GT(result.executions, 1U);
  testing::Test::RecordProperty("executions", std::to_string(result.executions));
}

}  // namespace nearfork::model
