package app

import (
	"context"
	"io"

	"bridgekeeper/app/wire"
)

// anchorFile is in the state folder, so that whoever deletes or restores the logs'
// folder doesn't take it along.
const anchorFile = "activity.anchor"

// Activity hands out the entries of the record that fit (localapi.Record).
func (a *App) Activity(ctx context.Context, q wire.ActivityQuery, send func(*wire.Activity) error) (skipped int, err error) {
	if err := q.Check(); err != nil {
		return 0, err
	}
	return a.activity.Each(ctx, q, send)
}

// FollowActivity hands out the newest entries and all later ones (localapi.Record).
func (a *App) FollowActivity(ctx context.Context, q wire.ActivityQuery, send func(*wire.Activity) error) error {
	if err := q.Check(); err != nil {
		return err
	}
	return a.activity.Follow(ctx, q, send)
}

// ExportActivity writes the entries that fit (localapi.Record).
func (a *App) ExportActivity(ctx context.Context, q wire.ActivityQuery, format string, w io.Writer) error {
	if err := q.Check(); err != nil {
		return err
	}
	return a.activity.Export(ctx, w, q, format)
}

// VerifyActivity looks whether the record is whole (localapi.Record).
func (a *App) VerifyActivity(ctx context.Context) (*wire.ActivityCheck, error) {
	return a.activity.Verify(ctx)
}
