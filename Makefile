# Two commands matter: `make demo` and `make test`. Both install what is missing first.

export LC_ALL ?= C.UTF-8
export MIX_QUIET ?= 1
export CARGO_TERM_QUIET ?= true

GUESTS := $(CURDIR)/target/guests/wasm32-wasip2/release
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60

export WORKBOOKS_GUESTS := $(GUESTS)

.PHONY: help setup build guests commands lanes demo test test-rust test-elixir test-workflows kill schemathesis bench docs fmt lint fuzz install clean

help: ## what can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

setup: ## install what is missing (apt, rustup targets); says what it does
	@script/setup

build: setup lanes ## build everything; leaves bin/wbx
	@echo "build: Rust and Elixir (the first time takes some minutes)"
	@mix compile --warnings-as-errors
	@elixir --erl '-workbooks data_dir nil' -S mix run --no-compile -e 'Workbooks.Lanes.prepare()'
	@mkdir -p bin && cp -f target/release/wbx bin/.wbx.new && mv -f bin/.wbx.new bin/wbx

guests: setup
	@cargo build --manifest-path guests/fixtures/Cargo.toml --release --target wasm32-wasip2 --target-dir target/guests

commands: setup ## the commands of the shell, as WASM; leaves priv/wasm/commands
	@script/commands

lanes: setup ## the compilers of the build lanes, as WASM; leaves priv/wasm/lanes
	@script/lanes

demo: build guests ## see it work
	@mix run -e 'Workbooks.Demos.run()'

test: build guests test-rust test-elixir ## every test: Rust, Elixir, the command line end to end

test-rust:
	@echo "test: Rust"
	@cargo test --release --workspace
	@script/commands test
	@script/conformance

test-elixir:
	@echo "test: Elixir"
	@MIX_ENV=test mix test --warnings-as-errors

test-workflows: build ## a scripted agent over the workflows in the directory SESSION_TEST_WORKFLOWS
	@if [ -z "$$SESSION_TEST_WORKFLOWS" ]; then \
		echo "test-workflows: skipped, SESSION_TEST_WORKFLOWS names no directory"; \
	else \
		cargo test --release --package session-store --test workflows -- --nocapture && \
		cargo test --release --package wbx --test cli workflows_of_a_library -- --nocapture; \
	fi

kill: build ## kill runs and deploys at every boundary between two writes, several times each
	@WORKBOOKS_THOROUGH=1 MIX_ENV=test mix test test/workbooks/run/kill_test.exs test/workbooks/deploy/kill_test.exs

schemathesis: build ## ask the server what its OpenAPI allows, and what it does not (takes minutes)
	@script/schemathesis

bench: build guests ## the ratios, side by side in one run; writes docs/benchmarks.md
	@script/bench

docs: build ## the reference pages that are generated
	@mkdir -p docs/reference && bin/wbx help --markdown > docs/reference/wbx.md
	@WORKBOOKS_WRITE_DOCS=1 MIX_ENV=test mix test test/architecture_test.exs
	@WORKBOOKS_WRITE_DOCS=1 cargo test --release --workspace --test cli an_agent_that_lies
	@cargo build --release --workspace --examples && target/release/examples/reference
	@RUSTDOCFLAGS='-D warnings' cargo doc --release --workspace --no-deps

fmt: ## format everything
	@cargo fmt --all && cargo fmt --all --manifest-path guests/fixtures/Cargo.toml && mix format
	@script/commands fmt
	@script/lanes fmt

lint: setup ## formatting and warnings
	@cargo fmt --all --check
	@cargo fmt --all --check --manifest-path guests/fixtures/Cargo.toml
	@mix format --check-formatted
	@cargo clippy --release --workspace --all-targets -- -D warnings
	@cargo clippy --manifest-path guests/fixtures/Cargo.toml --release --target wasm32-wasip2 --target-dir target/guests -- -D warnings
	@script/commands lint
	@script/lanes lint
	@script/dialyzer

fuzz: setup ## fuzz the parsers for FUZZ_SECONDS each
	@fuzz/run $(FUZZ_SECONDS)

install: build ## put wbx, its man page and the engine under PREFIX
	@install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1
	@install -m 0755 bin/wbx $(DESTDIR)$(PREFIX)/bin/wbx
	@bin/wbx help --man > $(DESTDIR)$(PREFIX)/share/man/man1/wbx.1
	@rm -rf $(DESTDIR)$(PREFIX)/lib/workbooks && install -d $(DESTDIR)$(PREFIX)/lib/workbooks/lib/workbooks
	@cp -RL _build/dev/lib/workbooks/ebin _build/dev/lib/workbooks/priv $(DESTDIR)$(PREFIX)/lib/workbooks/lib/workbooks/
	@echo "installed $(DESTDIR)$(PREFIX)/bin/wbx"

clean: ## remove what was built
	@cargo clean && rm -rf _build bin priv/native priv/wasm
