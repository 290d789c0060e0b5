#include "tools/run_command.hpp"

int main(int argc, char** argv) {
  return nearfork::tools::run_command(argc, argv);
}
