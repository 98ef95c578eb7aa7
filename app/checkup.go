package app

import (
	"context"

	"bridgekeeper/app/wire"
)

// CheckServer is filled in below.
func (a *App) CheckServer(ctx context.Context, name string, req wire.CheckServer) (*wire.CheckReport, error) {
	return &wire.CheckReport{}, nil
}
