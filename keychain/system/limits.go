package system

import (
	"errors"
	"syscall"

	"github.com/zalando/go-keyring"

	"bridgekeeper/keychain"
)

const (
	// windowsBlob is what a credential holds (CRED_MAX_CREDENTIAL_BLOB_SIZE).
	windowsBlob = 2560
	// macCommand is the longest line that macOS' security reads; the value is in
	// it as base64, beside the words of the command, the service and the key.
	macCommand = 4096
	macWords   = 96 // "add-generic-password -U -s '' -a '' -w 'go-keyring-base64:'\n", and a little
	macKey     = keychain.MaxName + 32
)

// itemLimit is how many bytes of a value fit into one item.
func itemLimit(goos string) int {
	switch goos {
	case "windows":
		return windowsBlob
	case "darwin":
		return (macCommand - macWords - maxService - macKey) / 4 * 3
	}
	return 0 // a Secret Service takes megabytes
}

// Exit codes of macOS' security: the low byte of the error of its framework.
const (
	macNotAllowed = 36  // errSecInteractionNotAllowed: locked, and no dialog possible
	macAuthFailed = 51  // errSecAuthFailed: the dialog got a wrong password
	macCancelled  = 128 // errSecUserCanceled
	macNoKeychain = 50  // errSecNoSuchKeychain
	macNoDefault  = 37  // errSecNoDefaultKeychain
)

// winNoSession is ERROR_NO_SUCH_LOGON_SESSION: services and network logons have
// no Credential Manager.
const winNoSession = syscall.Errno(1312)

// classify tells what an error of the library says about the keychain's state;
// Available means nothing.
func classify(goos string, err error) keychain.Status {
	if err == nil || errors.Is(err, keyring.ErrNotFound) {
		return keychain.Status{State: keychain.Available}
	}
	if errors.Is(err, keyring.ErrUnsupportedPlatform) {
		return keychain.Status{State: keychain.Missing, Reason: "this system has no keychain that is supported", Hint: fileHint}
	}
	var exit interface{ ExitCode() int }
	var errno syscall.Errno
	switch {
	case goos == "darwin" && errors.As(err, &exit):
		switch exit.ExitCode() {
		case macNotAllowed, macAuthFailed, macCancelled:
			return keychain.Status{State: keychain.Locked, Reason: "the login keychain is locked", Hint: "Unlock it in Keychain Access, or log in at the screen."}
		case macNoKeychain, macNoDefault:
			return keychain.Status{State: keychain.Missing, Reason: "this user has no default keychain", Hint: "Make one in Keychain Access, or " + fileHint}
		}
	case goos == "darwin":
		return keychain.Status{State: keychain.Missing, Reason: "macOS' security tool can't be started", Hint: fileHint}
	case goos == "windows" && errors.As(err, &errno) && errno == winNoSession:
		return keychain.Status{State: keychain.Missing, Reason: "Windows keeps no credentials for this logon session", Hint: "Run Bridgekeeper as the person who is logged in, or " + fileHint}
	}
	return keychain.Status{State: keychain.Available}
}

const fileHint = "choose the encrypted file for secrets in the settings."
