//go:build !linux

package system

import (
	"context"
	"runtime"

	"github.com/zalando/go-keyring"

	"bridgekeeper/keychain"
)

// probeKey names an item that holds no secret. A locked macOS keychain finds
// out that an item doesn't exist without being unlocked, so one must.
const probeKey = ".probe"

// leaveProbe writes the probe once, after the first value was stored.
func (s *System) leaveProbe() error {
	if runtime.GOOS != "darwin" || s.probe {
		return nil
	}
	s.probe = true
	return keyring.Set(s.service, probeKey, "Bridgekeeper reads this to see whether the keychain is locked.")
}

// prober looks by reading.
type prober struct{ s *System }

func newLooker(s *System) looker { return prober{s} }

func (p prober) state(context.Context) keychain.Status {
	_, err := keyring.Get(p.s.service, probeKey)
	return classify(runtime.GOOS, err)
}

// unlock is the same: the system opens its dialog by itself where one is needed.
func (p prober) unlock(ctx context.Context) error { return p.state(ctx).Err() }

func (prober) watch(ctx context.Context, _ func()) error {
	<-ctx.Done()
	return context.Cause(ctx)
}
