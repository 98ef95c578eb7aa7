#!/usr/bin/env bash
# Vets and builds for systems that this machine isn't: those named, or all.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- darwin/arm64 windows/amd64 linux/arm64

# Fyne's widgets need cgo on macOS, so what imports them can be vetted on a Mac only.
packages() {
	if [ "$GOOS" = darwin ]; then
		go list -f '{{.ImportPath}} {{join .Deps " "}} ' ./... | grep -v ' fyne.io/fyne/v2/internal/widget ' | cut -d' ' -f1
	else
		go list ./...
	fi
}

for target; do
	echo "$target"
	export GOOS=${target%/*} GOARCH=${target#*/} CGO_ENABLED=0
	packages | xargs go vet -trimpath # as it is built: the libraries are compiled once for both
	go build -trimpath -o /dev/null .
	go build -trimpath -o /dev/null ./app/stdio/bridgekeeper-stdio
done
