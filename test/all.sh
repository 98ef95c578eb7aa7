#!/usr/bin/env bash
# Runs every test, stage by stage, goes on after a failure and sums up at the
# end. Succeeds only if every stage did.
set -uo pipefail
cd "$(dirname "$0")/.."

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
summary=()
failed=0
begin=$SECONDS

stage() { # stage NAME COMMAND...
	local name=$1 start=$SECONDS verdict=ok note=
	shift
	printf '\n== %s\n' "$name"
	"$@" 2>&1 | tee "$logs/out"
	if [ "${PIPESTATUS[0]}" -ne 0 ]; then
		verdict=FAILED
		failed=1
	fi
	# A skip that nobody reads is a hole: say it again at the end.
	note=$(sed -n 's/.*SKIPPED: //p' "$logs/out" | sort -u | head -n 3 | tr '\n' ';')
	summary+=("$(printf '%-7s %-12s %4ds  %s' "$verdict" "$name" $((SECONDS - start)) "${note:+skipped: $note}")")
}

# Without cgo, as the binary is built: what it takes is compiled once for both.
unit() {
	go list ./... | grep -vE '/test/(thirdparty|core|conformance|bytes|asking|shim|desktop)$' | CGO_ENABLED=0 xargs go test -trimpath -timeout 5m
}

# Packages in which goroutines share state.
race() {
	go list ./supervisor/... ./bridge/... ./keychain/... ./app/... | grep -vE '/app/(apptest|archtest|demo|cli|wire)$' | xargs env CGO_ENABLED=1 go test -race -timeout 8m
}

build() { mkdir -p bin && CGO_ENABLED=0 go build -trimpath -o bin/ . ./app/stdio/bridgekeeper-stdio; }
# -count=1: the binary is outside Go's test cache.
core() { BRIDGEKEEPER_BIN=$PWD/bin/bridgekeeper go test -count=1 -timeout 5m ./test/core/...; }
asking() { BRIDGEKEEPER_BIN=$PWD/bin/bridgekeeper go test -count=1 -timeout 4m ./test/asking; }
shim() { BRIDGEKEEPER_BIN=$PWD/bin/bridgekeeper go test -count=1 -timeout 4m ./test/shim; }
demo() { go run ./app/demo -bin bin/bridgekeeper; }
# -count=1: what it uses (the binary, the registry) is outside Go's test cache.
thirdparty() { BRIDGEKEEPER_BIN=$PWD/bin/bridgekeeper go test -count=1 -v -timeout 8m ./test/thirdparty/...; }
conformance() { BRIDGEKEEPER_BIN=$PWD/bin/bridgekeeper go test -count=1 -v -timeout 10m ./test/conformance; }
bytes() { BRIDGEKEEPER_BIN=$PWD/bin/bridgekeeper go test -count=1 -timeout 3m ./test/bytes; }

stage lint test/lint.sh
# Linux on ARM shares all its code with this machine; `make cross` has it too.
stage cross test/cross.sh darwin/arm64 windows/amd64
stage build build
stage unit unit
stage race race
stage core core
stage asking asking
stage shim shim
stage demo demo
stage thirdparty thirdparty
stage bytes bytes
stage conformance conformance

printf '\n================ summary ================\n'
printf '%s\n' "${summary[@]}"
printf '%-7s %-12s %4ds\n' "$([ "$failed" = 0 ] && echo PASS || echo FAIL)" "all" $((SECONDS - begin))
exit "$failed"
