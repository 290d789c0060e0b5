// The real slot of the block registry: whoever looks while blocks come and go sees one of them whole, or none.
#include <gtest/gtest.h>

#include "memory/block_slot.hpp"
