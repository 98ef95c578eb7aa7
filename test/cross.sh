#!/usr/bin/env bash
# Vets and builds for the systems that this machine isn't.
set -euo pipefail
cd "$(dirname "$0")/.."
for target in darwin/arm64 windows/amd64 linux/arm64; do
	echo "$target"
	export GOOS=${target%/*} GOARCH=${target#*/} CGO_ENABLED=0
	go vet ./...
	go build -trimpath -o /dev/null .
done
