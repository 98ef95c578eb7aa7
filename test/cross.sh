#!/usr/bin/env bash
# Vets and builds for systems that this machine isn't: those named, or all.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- darwin/arm64 windows/amd64 linux/arm64
for target; do
	echo "$target"
	export GOOS=${target%/*} GOARCH=${target#*/} CGO_ENABLED=0
	go vet -trimpath ./... # as it is built: the libraries are compiled once for both
	go build -trimpath -o /dev/null .
done
