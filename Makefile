# The commands of this project; `make help` lists them.

# What a Debian 12 machine with Swift on its PATH still needs. Every target that builds installs
# what is missing. Below the first line: what Swift itself builds and links with.
packages := dbus libbluetooth-dev libdbus-1-dev libexpat1-dev libmicrohttpd-dev libsqlite3-dev libssl-dev pkg-config \
  binutils ca-certificates gcc git libc6-dev libstdc++-12-dev
# What the tests look at terminals with, and what fleets need; below, what `make test-all` needs beside it.
test_packages := tmux python3 nats-server libnats-dev
all_test_packages := $(test_packages) chromium chromium-driver python3-venv

# Debug builds have the fleet, so that it is tested; release builds have it only where they are asked for it. A folder
# of their own lets both be built at a time, and keeps `swift build` from compiling everything anew for other traits.
# The compiler writes an index for editors beside each module; that of the system's modules would take an eighth of the time.
debug_build := .build-debug
debug := --traits Fleet --scratch-path $(debug_build) -Xswiftc -index-ignore-system-modules

swift_sources := Sources Tests Package.swift

# The programs under test, in one folder as they are installed. Links, as each finds the others beside itself.
programs := .build/programs

# How many inputs of each fuzz target belong to `make test-all`.
fuzz_counts := messages=60000 device-files=25000 chain-files=20000 batch-files=6000 csv=3000 \
  suites=10000 journals=300 smp=400000

.NOTPARALLEL:
.PHONY: help demo build check test test-all set-up-tests set-up-all-tests build-debug run-tests build-release test-seeds \
  lint-python test-python test-web test-consumer simtest fuzz test-lab build-fleet play-lab test-sanitizers docs bench bench-steps bench-fleet format lint \
  clean set-up package-build package-build-fleet install install-fleet uninstall dist deb test-deb wheel test-wheel release

# A fleet as it is released: it finds libnats beside itself, where `make install-fleet` puts it.
fleet_build := .build-fleet
fleet_release := -c release --traits Fleet --scratch-path $(fleet_build) -Xlinker '-rpath=$$ORIGIN/../lib/blerun'

# The releases of Debian on which packages are tried.
RELEASES ?= bookworm trixie

# The releases of bluetoothd with which the lab is played.
BLUEZ ?= 5.66 5.82

# Where `make install` puts things; DESTDIR stages them for a package.
PREFIX ?= /usr/local
UNITS ?= $(PREFIX)/lib/systemd/system
# Where manual pages and the package are made.
package := .build-package

help: ## This list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' Makefile

demo: set-up ## Build .build/release/blerun, and read a simulated thermometer
	swift build -c release --product blerun
	.build/release/blerun run docs/examples/thermometer.yaml --simulate Simulators/devices/thermometer.yaml

build: set-up ## Build .build/release/blerun and blerun-serve
	swift build -c release --product blerun
	swift build -c release --product blerun-serve

# The manifest leaves out whatever these tests do not need.
check: set-up ## Build and run the tests in Tests/Simulator/SimulatedDevicesTests alone: make check MODULE=SimulatedDevices
	MODULE=$(MODULE) .ci/test --scratch-path .build-check -Xswiftc -index-ignore-system-modules

test: set-up-tests lint build-debug run-tests test-some-seeds ## Lint, then all tests that need neither a radio nor root

# All kills and repeats of the tests, their pages in Chromium, what is built as a release, all seeds and hostile files, Python.
test-all: export BLERUN_TEST_ALL := 1
test-all: set-up-all-tests build-release test test-seeds test-wheel test-web test-consumer docs ## What `make test` samples in full, and the release builds

# The parts of `make test` and `make test-all`, which .ci/run plays in an order of its own.
set-up-tests: set-up
	@.ci/set-up $(test_packages)

set-up-all-tests: set-up
	@.ci/set-up $(all_test_packages)

build-debug: set-up-tests
	swift build $(debug) --build-tests

# The tests of commands run debug programs; in `make test-all`, those of the release.
run-tests: set-up-tests
	mkdir -p $(programs)
	$(if $(BLERUN_TEST_ALL),ln -f .build/release/blerun .build/release/blerun-serve $(debug_build)/debug/blerun-fleet $(programs))
	$(if $(BLERUN_TEST_ALL),BLERUN_PROGRAMS=$(CURDIR)/$(programs)) .ci/test $(debug) --skip-build

test-some-seeds: build-debug
	$(debug_build)/debug/blerun-simtest --seeds 300
	$(debug_build)/debug/blerun-simtest --fleet --seeds 100

build-release: set-up
	for product in blerun blerun-serve blerun-simtest blerun-fuzz benchmarks; do \
	  swift build -c release --product $$product || exit 1; \
	done

test-seeds:
	.build/release/blerun-simtest --seeds 3000
	.build/release/blerun-simtest --fleet --seeds 4000
	printf '%s\n' $(fuzz_counts) | xargs -P 2 -I {} sh -c \
	  'count={}; .build/release/blerun-fuzz "$${count%=*}" --count "$${count#*=}"'

lint-python:
	@.ci/set-up python3-venv
	Packaging/lint-python $(package)/lint-python

# The tests of the plugin wait more than they compute.
test-python: lint-python ## ruff, mypy and the tests of the pytest plugin, with the built program; PROGRAM=.build-debug/debug/blerun
	@.ci/set-up dbus
	Packaging/test-python $(or $(PROGRAM),.build/release/blerun) $(package)/python -n 4

# In the wheel's clean root there is no browser.
test-web: ## The sample docs/samples/web: a page in Chromium, with the built program
	@.ci/set-up dbus chromium python3-venv
	Packaging/test-python $(or $(PROGRAM),.build/release/blerun) $(package)/python test_web.py

test-consumer: set-up
	.ci/test -c release --disable-testable-imports --package-path Tests/Consumer --scratch-path .build

simtest: set-up ## Seeded worlds full of faults against the client and the simulator; SEEDS=200000
	swift run -c release blerun-simtest --seeds $(or $(SEEDS),20000)
	swift run -c release blerun-simtest --fleet --seeds $(or $(SEEDS),20000)

fuzz: set-up ## Hostile files, messages and firmware updates; FUZZ_COUNT=1000000 of each
	swift build -c release --product blerun-fuzz
	for count in $(fuzz_counts); do \
	  .build/release/blerun-fuzz $${count%=*} --count $(or $(FUZZ_COUNT),1000000) || exit 1; \
	done

test-lab: build build-fleet play-lab ## The built program, and the simulator, against a real bluetoothd, in a guest kernel; BLUEZ=5.87

build-fleet: set-up
	@.ci/set-up nats-server libnats-dev
	swift build $(debug) --product blerun-fleet

play-lab:
	Tests/Lab/play $(BLUEZ)

test-sanitizers: set-up-tests ## All tests under the thread sanitizer, then the address sanitizer
	THREAD_SANITIZER=1 swift test --disable-xctest --sanitize thread --scratch-path .build-tsan
	swift test --disable-xctest --sanitize address --scratch-path .build-asan

docs: set-up ## The documentation of the library products, in .build-docs; a warning is an error
	swift build $(debug) --target BLETesting
	swift build $(debug) --target Jobs
	Packaging/documentation $(debug_build)/debug .build-docs

bench: set-up ## Measurements beside a C client and bleak, chain steps, and fleets where nats-server is installed
	@.ci/set-up bluez
	swift build -c release --product blerun
	swift run -c release benchmarks
	$(MAKE) --no-print-directory bench-steps
	@if PATH="$$PATH:/usr/sbin" command -v nats-server >/dev/null; then $(MAKE) --no-print-directory bench-fleet; \
	  else echo "Fleets are not measured: make bench-fleet installs nats-server and libnats-dev, and does it"; fi

bench-steps: set-up ## A read as a step of a chain, beside one with bleak: whole processes on one bus
	@.ci/set-up dbus python3-venv
	swift build -c release --product blerun
	python3 -m venv .build/bench-python
	.build/bench-python/bin/pip install --quiet bleak
	.build/bench-python/bin/python .ci/bench-steps .build/release/blerun

bench-fleet: set-up ## Fleets: jobs a second, traffic, an idle one, and one beside a local batch; FLEET=one traffic …
	@.ci/set-up python3 nats-server libnats-dev
	for product in blerun blerun-fleet benchmarks; do \
	  swift build $(fleet_release) --product $$product || exit 1; \
	done
	.ci/bench-fleet $(fleet_build)/release $(FLEET)

package-build: build
	@.ci/set-up lowdown
	Packaging/manuals .build/release/blerun $(package)/man

package-build-fleet: set-up
	@.ci/set-up lowdown libnats-dev
	for product in blerun blerun-fleet; do \
	  swift build $(fleet_release) --product $$product || exit 1; \
	done
	swift package resolve
	Packaging/manuals $(fleet_build)/release/blerun $(package)/man-fleet

install: package-build ## Install below PREFIX (/usr/local): program, manual pages, completion, units, examples
	Packaging/install .build/release/blerun $(package)/man "$(DESTDIR)" "$(PREFIX)" "$(UNITS)"

install-fleet: package-build-fleet ## Install the fleet beside it: program, manual pages, the unit of gateways
	Packaging/install-fleet $(fleet_build)/release/blerun $(package)/man-fleet "$(DESTDIR)" "$(PREFIX)" "$(UNITS)"

uninstall: ## Remove what `make install` and `make install-fleet` installed; journals stay
	Packaging/uninstall "$(DESTDIR)" "$(PREFIX)" "$(UNITS)"

dist: package-build package-build-fleet ## Build tarballs in .build-package/dist: what `make install` and `make install-fleet` install
	rm -f $(package)/dist/*.tar.gz
	Packaging/dist .build/release/blerun $(package)/man $(package)/dist
	Packaging/dist $(fleet_build)/release/blerun $(package)/man-fleet $(package)/dist -fleet

deb: set-up ## Build the Debian packages in .build-package/deb
	@.ci/set-up debhelper dpkg-dev libnats-dev lintian lowdown
	Packaging/deb $(package)/deb

test-deb: deb dist ## Install, run, upgrade and remove packages and tarballs in clean roots; RELEASES="bookworm trixie"
	@.ci/set-up debootstrap
	for release in $(RELEASES); do Packaging/test-deb $$release $(package)/deb $(package)/dist || exit 1; done

wheel: set-up ## Build the Python wheel in .build-package/wheel: the program and a pytest plugin
	@.ci/set-up python3-venv
	swift build -c release --product blerun
	Packaging/wheel .build/release/blerun $(package)/wheel

test-wheel: lint-python wheel ## Install the wheel in clean roots, with present and last major versions of bleak and pytest; run its tests and those of the gallery
	Packaging/test-wheel $(package)/wheel/*.whl $(package)/wheel -n 4
	Packaging/test-gallery $(package)/wheel/*.whl $(package)/gallery
	for release in $(filter-out $(shell . /etc/os-release; echo $$VERSION_CODENAME),$(RELEASES)); do \
	  .ci/set-up debootstrap && Packaging/test-wheel-on $$release $(package)/wheel/*.whl -n 4 || exit 1; \
	done

release: deb dist wheel ## Put wheel, Debian packages, tarballs, checksums and a list of contents into .build-package/release
	Packaging/release $(package) $(package)/release

format: ## Format the sources in place
	swift format -i -r $(swift_sources)

lint: ## Say where the sources are not formatted
	swift format lint -s -r $(swift_sources)

clean: ## Remove what was built; the lab's cache stays
	rm -rf .build .build-check .build-debug .build-docs .build-fleet .build-tsan .build-asan .build-package

set-up:
	@.ci/set-up $(packages)
