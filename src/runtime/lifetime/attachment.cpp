#include <nearfork/tasks/attach.hpp>

#include <nearfork/runtime.hpp>

#include "runtime/workers/deputy.hpp"

namespace nearfork {

attachment::attachment(runtime& home) : attached_(keep_place(home.implementation_crew())) {}

attachment::~attachment() {
  if (attached_) give_up_place();
}

attachment attach() {
  return attachment(process_runtime());
}

}  // namespace nearfork
