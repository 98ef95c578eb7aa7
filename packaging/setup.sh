#!/usr/bin/env bash
# Makes this machine able to build (setup.sh build) or to build and test
# (setup.sh test) Bridgekeeper. On Debian and its relatives what is missing is
# installed with apt; elsewhere the script says what to install. When nothing is
# missing it does nothing, quickly and without the network.
set -euo pipefail
cd "$(dirname "$0")/.."

purpose=${1:-build}
min_node=20
say() { printf 'setup: %s\n' "$*" >&2; }
have() { command -v "$1" >/dev/null 2>&1; }

# at_least 1.26.0 1.26.8: is the second version as new as the first?
at_least() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }

check_go() {
	local want have_version
	want=$(awk '$1 == "go" { print $2; exit }' go.mod)
	if ! have go; then
		say "Go $want or newer is missing. Get it from https://go.dev/dl/ (unpack to /usr/local, put /usr/local/go/bin on the PATH),"
		say "or with a package manager that has it: brew install go, winget install GoLang.Go, snap install go --classic."
		exit 1
	fi
	have_version=$(go env GOVERSION) && have_version=${have_version#go}
	at_least "$want" "$have_version" && return
	# Since 1.21 the go command fetches the version that go.mod asks for.
	if at_least 1.21 "$have_version" && [ "$(go env GOTOOLCHAIN)" != local ]; then
		say "Go $have_version is older than $want; the go command will fetch $want by itself."
		return
	fi
	say "Go $have_version is too old, $want or newer is needed: https://go.dev/dl/"
	exit 1
}

as_root() {
	if [ "$(id -u)" = 0 ]; then "$@"; return; fi
	if have sudo; then sudo "$@"; return; fi
	say "not root and no sudo; please run as root: $*"
	exit 1
}

updated=
apt_update() {
	[ -n "$updated" ] && return
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq update >&2
	updated=1
}

# install PACKAGE...: with apt, or a sentence for other systems.
install() {
	if ! have apt-get; then
		say "please install: $* (names as on Debian; your system may call them differently)"
		return 1
	fi
	say "installing $*"
	apt_update
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -y -qq install --no-install-recommends "$@" >&2
}

node_is_new_enough() {
	have node && have npm && at_least "$min_node" "$(node --version | tr -d v)"
}

# Node is wanted for the tests with servers and a client from npm. They skip
# themselves without it, so a system that has only an old Node is no failure.
check_node() {
	node_is_new_enough && return
	if have apt-get; then
		apt_update
		local offered
		offered=$(apt-cache policy nodejs | awk '/Candidate:/ { sub(/^[0-9]+:/, "", $2); print $2 }')
		if [ -n "$offered" ] && at_least "$min_node" "$offered"; then
			install nodejs npm && node_is_new_enough && return
		fi
	fi
	say "Node $min_node or newer with npm is missing: the tests with third-party servers will be skipped."
	say "Get it from https://nodejs.org/ or with your package manager."
}

# The window (Fyne) is built with cgo against these; the headless build needs none.
window_packages() {
	[ "$(uname -s)" = Linux ] || return 0
	have gcc && [ -e /usr/include/stdlib.h ] || missing+=(gcc libc6-dev)
	have pkg-config || missing+=(pkg-config)
	[ -e /usr/include/GL/gl.h ] || missing+=(libgl1-mesa-dev)
	[ -e /usr/include/X11/extensions/Xrandr.h ] && [ -e /usr/include/X11/extensions/xf86vmode.h ] &&
		[ -e /usr/include/X11/extensions/XInput2.h ] && [ -e /usr/include/X11/Xcursor/Xcursor.h ] &&
		[ -e /usr/include/X11/extensions/Xinerama.h ] || missing+=(xorg-dev)
	[ -e /usr/include/wayland-client-core.h ] || missing+=(libwayland-dev)
	[ -e /usr/include/xkbcommon/xkbcommon.h ] || missing+=(libxkbcommon-dev)
}

# The keychain's tests run a real one, in a session of its own. Without it they
# skip themselves, but fail in CI.
check_keyring() {
	[ "$(uname -s)" = Linux ] || return 0
	local missing=()
	have dbus-daemon || missing+=(dbus)
	have gnome-keyring-daemon || missing+=(gnome-keyring)
	have secret-tool || missing+=(libsecret-tools)
	[ ${#missing[@]} -eq 0 ] || install "${missing[@]}" || say "the tests with a real keychain will be skipped."
}

# The desktop's stories (make desktop) need a display, a window manager and hands.
check_desktop() {
	[ "$(uname -s)" = Linux ] || return 0
	local missing=()
	have Xvfb || missing+=(xvfb)
	have openbox || missing+=(openbox)
	have xdotool || missing+=(xdotool)
	have xclip || missing+=(xclip)
	have import || missing+=(imagemagick)
	[ ${#missing[@]} -eq 0 ] || install "${missing[@]}" libgl1-mesa-dri || say "the desktop's tests will be skipped."
}

check_go
missing=()
case $purpose in
build)
	window_packages
	[ ${#missing[@]} -eq 0 ] || install "${missing[@]}" || say "without them only the build without a window works: go build -tags headless"
	;;
test)
	window_packages
	have make || missing+=(make)
	have git || missing+=(git)
	[ ${#missing[@]} -eq 0 ] || install "${missing[@]}"
	check_node
	check_keyring
	check_desktop
	;;
*)
	say "usage: packaging/setup.sh [build|test]"
	exit 2
	;;
esac
