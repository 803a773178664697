# graco: the two commands of a new user are `make demo` and `make test`.

BUILD ?= build
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
DEMO_EPOCHS ?= 50
DATA := $(abspath ../shared/data)
ifneq ($(wildcard $(DATA)),)
export GRACO_DATA ?= $(DATA)
endif
export BUILD JOBS
MAKEFLAGS += --no-print-directory

# What configures the build folder, the same for every target.
CONFIGURE = cmake -S . -B $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX) $(CMAKE_OPTIONS) > /dev/null

.PHONY: all command bench-skipgram setup setup-mpi setup-metis test-mpi build demo test test-deep test-fresh test-long test-faults fuzz coverage check size format \
	wheel test-wheel deb test-deb pictures results bench bench-quick bench-eval bench-inductive bench-cuda \
	bench-methods bench-peers bench-loading bench-python install clean

all: build

setup:
	@scripts/setup.sh

# Open MPI, with which the build makes graco-mpi too (docs/scale.md).
setup-mpi:
	@scripts/setup.sh libopenmpi-dev openmpi-bin

# METIS, with which `graco partition` orders nodes for ranks (docs/scale.md).
setup-metis:
	@scripts/setup.sh libmetis-dev

build: setup
	@$(CONFIGURE)
	@cmake --build $(BUILD) -j $(JOBS)

# The command alone, as `make build` builds it, without the tests and the benchmarks.
command: setup
	@$(CONFIGURE)
	@cmake --build $(BUILD) -j $(JOBS) --target graco

# Trains on a graph that graco makes itself: no network, seconds after the build.
demo: command
	@rm -rf demo && mkdir demo
	$(BUILD)/graco generate demo/graph.npz
	$(BUILD)/graco train demo/graph.npz -o demo/run --epochs $(DEMO_EPOCHS)
	$(BUILD)/graco eval demo/run demo/graph.npz
	@echo
	@echo "The embeddings are in demo/run/embeddings.npy (a row of float32 per node),"
	@echo "the scores in demo/run/eval.json. Next: $(BUILD)/graco help train"

# Every test but those that take minutes. A test that needs what is not there says so and is skipped.
test: build
	@scripts/test.sh

# Several ranks on this machine; skipped where there is no MPI.
test-mpi: build
	@ctest --test-dir $(BUILD) -L mpi --output-on-failure

# What `make test` leaves out: clang with warnings as errors, the tests under sanitizers, a minute of
# fuzzing. clang only recommends the package that has the runtime of its fuzzer.
CLANG := clang libclang-rt-14-dev
test-deep:
	@scripts/setup.sh $(CLANG) clang-format binutils locales python3
	@scripts/test.sh deep

# `make demo` and `make test` on a bare Debian 12, made in a temporary folder; needs root.
test-fresh:
	@scripts/test_fresh.sh

# The tests that take minutes: real data sets, full trainings.
test-long: build
	@ctest --test-dir $(BUILD) -L long --output-on-failure

# Every command under every fault, 200 kills, signals, locks: docs/reliability.md has the figures.
test-faults: build
	@bash tests/faults/test_outputs.sh $(abspath $(BUILD))
	@bash tests/faults/test_commands_long.sh $(abspath $(BUILD))
	@bash tests/faults/test_kills_long.sh $(abspath $(BUILD))

# Every decoder under libFuzzer and the sanitizers, SECONDS of one core for all of them; RUNS=n runs each
# n times instead, TARGETS="npy pickle" chooses some, JOBS says how many run at once.
SECONDS ?= 600
fuzz:
	@scripts/setup.sh $(CLANG)
	@scripts/fuzz.sh $(SECONDS)

# Which branches the tests take: fails below 90 % for src/io and src/data, 80 % elsewhere.
coverage:
	@scripts/setup.sh gcovr
	@scripts/coverage.sh

# The probe against LIBLINEAR on trained embeddings of Cora and Pubmed, same splits, one run.
bench-eval:
	@scripts/setup.sh liblinear-dev
	@scripts/bench_eval.sh

check: build
	@ctest --test-dir $(BUILD) -R '^style\.' --output-on-failure

# Lines by folder and kind; ARCHITECTURE.md has the sums.
size:
	@scripts/size.sh

format:
	@git ls-files -co --exclude-standard '*.c' '*.h' '*.cu' '*.cuh' '*.cpp' '*.hpp' | xargs clang-format -i

# docs/pictures/*.svg, whose numbers come from the source.
pictures:
	@python3 scripts/draw_pictures.py

# docs/results.md, its figures and README's tables, from docs/results/results.json.
results: build
	@python3 scripts/results.py $(BUILD)/graco

# Mini-batches on a graph of Reddit's size (SCALE = 1), beside the same blocks in PyTorch.
SCALE ?= 1
bench-inductive: build
	@scripts/setup.sh python3-torch python3-numpy
	@cmake --build $(BUILD) -j $(JOBS) --target bench_inductive bench_sampler
	@test -e $(BUILD)/reddit-$(SCALE) || $(BUILD)/graco generate $(BUILD)/reddit-$(SCALE) --like reddit --scale $(SCALE)
	@$(BUILD)/bench_sampler
	@$(BUILD)/bench_inductive $(BUILD)/reddit-$(SCALE) | tee $(BUILD)/inductive.json
	@/usr/bin/python3 bench/peer_torch_sage.py < $(BUILD)/inductive.json

# 2,000,000 edges with names and weights, from a CSV file and from arrays: seconds.
bench-loading: build
	@$(BUILD)/bench_loading

# graco against PyTorch, against sgemm, and on growing graphs: about 25 minutes on two quiet cores.
# bench-quick shows in two minutes that all of it runs; its figures mean nothing.
bench bench-quick: build
	@scripts/setup.sh python3-torch python3-numpy
	@cmake --build $(BUILD) -j $(JOBS) --target bench_objective
	@/usr/bin/python3 bench/run_bench.py --build $(BUILD) $(if $(filter bench-quick,$@),--quick) \
	    $(BENCH_OPTIONS)

# Epochs of other methods against PyTorch on the CPU.
bench-methods: build
	@scripts/setup.sh python3-torch python3-numpy
	@/usr/bin/python3 bench/bench_methods.py --graco $(BUILD)/graco $(BENCH_OPTIONS)

# What the Python package adds to a training. PEER is a Python that has numpy.
bench-python: build
	@$(PEER) bench/bench_python.py --build $(BUILD) $(BENCH_OPTIONS)

# graco beside pycleora, PecanPy, PyTorch Geometric and PyTorch: scores, time and memory, in docs/results. PEER is a
# Python that has them; what it has not is left out.
bench-peers: build
	@$(PEER) bench/run_peers.py --graco $(BUILD)/graco $(BENCH_OPTIONS)

# Skip-gram against gensim's word2vec on the same walks, in turn. PEER is a Python that has gensim 4.
PEER ?= python3
WALKS ?= 10
WALK_THREADS ?= 2
bench-skipgram: build
	@cmake --build $(BUILD) -j $(JOBS) --target bench_skipgram
	@for method in deepwalk node2vec; do echo $$method; \
	    $(BUILD)/bench_skipgram walks cora $$method $(WALKS) $(BUILD)/walks.txt; \
	    for round in 1 2 3; do \
	        $(BUILD)/bench_skipgram train cora $$method $(WALKS) $(WALK_THREADS); \
	        $(PEER) bench/peer_gensim.py $(BUILD)/walks.txt $$method $(WALK_THREADS); \
	    done; done

# graco against PyTorch on this machine's GPU; needs nvcc, and a python3 that has PyTorch with CUDA.
bench-cuda: build
	@cmake --build $(BUILD) -j $(JOBS) --target bench_cuda
	@python3 bench/run_bench_cuda.py --build $(BUILD) $(BENCH_OPTIONS)

# The Python package as one file in dist/, with every library that it needs inside but libc.
wheel: setup
	@scripts/wheel.sh

# The Debian packages libgraco0, libgraco-dev, graco and python3-graco of the last commit, in dist/deb/.
deb:
	@scripts/setup.sh debhelper dh-python dpkg-dev fakeroot lintian make python3
	@scripts/deb.sh

# Those packages on a bare Debian 12, made in a temporary folder; needs root.
test-deb:
	@scripts/test_deb.sh

# That wheel on a bare Debian 12 without build tools, made in a temporary folder; needs root.
test-wheel:
	@scripts/test_wheel.sh

install: build
	@cmake --install $(BUILD)

clean:
	rm -rf build build-clang build-sanitize build-fuzz build-coverage build-deb build-wheel demo dist
