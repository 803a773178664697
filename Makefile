# graco: the two commands of a new user are `make demo` and `make test`.

BUILD ?= build
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
DATA := $(abspath ../shared/data)
ifneq ($(wildcard $(DATA)),)
export GRACO_DATA ?= $(DATA)
endif

.PHONY: all setup build demo test test-sanitize test-clang check format install clean

all: build

setup:
	@scripts/setup.sh

build: setup
	@cmake -S . -B $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX) > /dev/null
	@cmake --build $(BUILD) -j $(JOBS)

clean:
	rm -rf build build-* demo
