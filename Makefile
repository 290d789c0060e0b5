# A thin front: presets and scripts do the work, and work without it, too (HACKING.md).
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help demo check numa-lab bench docs install clean
prefix ?= /usr/local
suite ?= quick

help: ## this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST)

demo: ## build nearfork, run heat distribution side by side with others and the programs of examples/, every answer checked
	@scripts/packages.sh build
	@scripts/build.sh release nearfork_command examples
	build/release/nearfork topo
	build/release/nearfork bench heat --policy random,auto
	@for source in examples/*.cpp; do build/release/examples/$$(basename $$source .cpp) || exit 1; done

check: ## build and run every test, and those of the library with sanitizers (suite=full: all with sanitizers, and the long ones)
	@scripts/packages.sh check
	@scripts/check.sh $(suite)

numa-lab: ## boot machines with 4 to 24 memory nodes under QEMU, and check nearfork on each (about seven minutes)
	@scripts/packages.sh check
	@scripts/build.sh dev nearfork_command numa_lab_programs
	@tests/numa_lab/run_all.sh

bench: ## run nearfork and its peers side by side, with both compilers, its policies, and what has no peers: pools, simulator, recording
	@scripts/packages.sh bench
	@scripts/bench.sh
	@scripts/bench_policies.sh

docs: ## write the API pages, one for each public header, to build/docs (needs doxygen)
	@scripts/docs.sh

install: ## install library and command below prefix=/usr/local
	@scripts/packages.sh build
	@scripts/build.sh release
	cmake --install build/release --prefix $(prefix)

clean: ## remove what was built
	rm -rf build
