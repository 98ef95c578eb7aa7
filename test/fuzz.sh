#!/usr/bin/env bash
# Runs every fuzz target for the given time, one after the other.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-30s}
found=0
while IFS=: read -r file name; do
	found=$((found + 1))
	echo "== $name in $(dirname "$file") for $time"
	go test -run '^$' -fuzz "^$name\$" -fuzztime "$time" "./$(dirname "$file")"
done < <(find . -name '*_test.go' -not -path './.*' -not -path '*/node_modules/*' -print0 | xargs -0 grep -oE '^func Fuzz[A-Za-z0-9_]+' | sed 's/:func /:/; s/^\.\///' | sort)
echo "$found fuzz targets, no new failures"
[ "$found" -gt 0 ]
