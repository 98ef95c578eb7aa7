#!/usr/bin/env bash
# gofmt and go vet over everything.
set -euo pipefail
cd "$(dirname "$0")/.."
unformatted=$(find . -name '*.go' -not -path './.*' -not -path '*/testdata/*' -not -path '*/node_modules/*' -print0 | xargs -0 gofmt -l)
if [ -n "$unformatted" ]; then
	printf 'not formatted by gofmt:\n%s\n' "$unformatted"
	exit 1
fi
go vet ./...
