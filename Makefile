# `make` alone lists what there is.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help setup build run test conformance demo desktop bench cross fuzz lint clean

BIN := bin/bridgekeeper
FUZZTIME ?= 30s
ARGS ?=

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup:
	@packaging/setup.sh build

build: setup ## build bin/bridgekeeper and bin/bridgekeeper-stdio
	CGO_ENABLED=0 go build -trimpath -o bin/ . ./app/stdio/bridgekeeper-stdio

run: build ## install what is missing, build, start the core with two example servers (ARGS='--port 3000')
	$(BIN) serve --examples $(ARGS)

test: ## run every test, with a summary at the end
	@packaging/setup.sh test
	@test/all.sh

conformance: build ## run the official suite against every pair of revisions, and the byte tests
	@BRIDGEKEEPER_BIN=$(CURDIR)/$(BIN) go test -count=1 -timeout 3m ./test/bytes
	@BRIDGEKEEPER_BIN=$(CURDIR)/$(BIN) go test -count=1 -v -timeout 10m ./test/conformance

demo: build ## show the built binary, step by step, in under a minute
	@go run ./app/demo -bin $(BIN)

desktop: build ## tell the desktop's stories: a display, a tray and clicks of their own (pictures in dist/desktop)
	@go test -count=1 -timeout 8m ./test/desktop

bench: build ## measure the bridge against its floors (ARGS='-quick -json out.json')
	@go run ./test/bench -bin $(BIN) $(ARGS)

cross: setup ## vet and build for macOS, Windows and Linux on ARM
	@test/cross.sh

fuzz: setup ## run each fuzz target for FUZZTIME (30s)
	@test/fuzz.sh $(FUZZTIME)

lint: setup ## gofmt and go vet
	@test/lint.sh

clean: ## remove what was built
	rm -rf bin dist
