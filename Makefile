# Everything there is to do, each with one command. `make` alone tells.
CMD ?= mcp-filesystem
CONFIG ?= config/mcp-filesystem.yaml
ARGS ?=
OWNER ?= example
LOAD ?= 60
STORM ?= 20
MODEL ?= 500
FUZZ_SECONDS ?= 60
FILES ?= 10000,100000

ONLY ?=
export ONLY

.PHONY: help build run test kills faults power-cuts attacks-compare load storm fuzz deny clients conformance \
	agent-bench packages lint fmt docs bench microbench warm ledger docker-build clean

help: ## Tell what there is
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1	/' | expand -t 24

build: ## Build the release binary into bin/
	cargo build --locked --release
	@mkdir -p bin && cp target/release/$(CMD) bin/

run: ## Build and serve config/mcp-filesystem.yaml (CMD=mcp-filesystem, ARGS="--port 9000")
	cargo run --locked --release --bin $(CMD) -- --config $(CONFIG) $(ARGS)

test: ## Everything: unit, wire and scenario tests
	cargo test --locked --lib --bins --test it

kills: ## Kill the server a thousand times at its work (KILLS=1000)
	bash -o pipefail -c "KILLS=$(or $(KILLS),1000) RUST_BACKTRACE=0 cargo test --locked --test it crash:: -- --nocapture 2>&1 | grep -E ' kills, |^test | torn|acknowledged'"

faults: ## Let every system call of every change fail in turn and print the table (needs strace)
	FAULTS=all RUST_BACKTRACE=0 cargo test --locked --test it faults:: -- --nocapture --test-threads 1

power-cuts: ## Cut the power of a loop-mounted disk during writes (needs root; CUTS=50)
	cargo build --locked
	scripts/power-cuts target/debug/$(CMD)

attacks-compare: ## Try the same attacks here and on the reference server
	cargo build --locked
	scripts/attacks-compare target/debug/$(CMD)

load: ## Put 1,000 sessions with 256 calls in flight on a release build for LOAD=60 seconds
	cargo build --locked --release
	LOAD=$(LOAD) TESTED_BINARY=$(CURDIR)/target/release/$(CMD) cargo test --locked --test it -- --nocapture --test-threads 1 load::beyond load::everybody

storm: ## Run the concurrency suite and the model long (STORM=20, MODEL=500)
	cargo build --locked --release
	STORM=$(STORM) MODEL=$(MODEL) TESTED_BINARY=$(CURDIR)/target/release/$(CMD) cargo test --locked --test it -- --nocapture concurrent:: model::

fuzz: ## Look for inputs that break a promise, FUZZ_SECONDS=60 for each target
	scripts/fuzz $(FUZZ_SECONDS)

deny: ## Judge licences, sources and advisories of what is in the binary
	scripts/deny

clients: ## Drive the server with the official clients, over both transports and in both eras
	cargo build --locked
	scripts/clients/run target/debug/$(CMD)
	.cache/python/bin/python scripts/clients/bridge.py target/debug/$(CMD)

conformance: ## Run the official conformance suite in both eras
	scripts/conformance

agent-bench: ## Replay thirty everyday tasks here and on the reference server
	cargo build --locked --release
	scripts/agent-bench/run

packages: ## Render the packages for OWNER into dist/ and check them
	cargo build --locked --release
	packaging/validate
	packaging/render $(OWNER)

lint: ## Format and lint, warnings denied
	cargo fmt --check
	cargo clippy --locked --all-targets -- -D warnings

fmt: ## Format
	cargo fmt

docs: ## Write the generated parts of the pages anew
	UPDATE_DOCS=1 cargo test --locked --test it generated_pages

bench: ## Measure against the peers and print the table (ONLY=grep for a part)
	cargo build --locked --release
	scripts/bench/run

microbench: ## Measure the parts of the engine (ONLY=resolve for a part)
	cargo bench --locked --bench micro -- $(ONLY)

warm: ## Measure what a kept list, an index or change notices would win (FILES=10000,100000,1000000)
	cargo run --locked --release --example warm -- $(FILES)
	scripts/bench/unseen

ledger: ## Tell which requirements have a test
	scripts/ledger

docker-build: ## Build the container image
	docker build -t $(CMD) .

clean: ## Remove what was built
	cargo clean
	rm -rf bin
