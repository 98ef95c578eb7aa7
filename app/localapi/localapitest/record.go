package localapitest

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"slices"

	"bridgekeeper/app/wire"
)

// Record adds an entry to the record, or, with the ID of one that is there, its end.
func (f *Fake) Record(a wire.Activity) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.records = append(f.records, a)
	close(f.changed)
	f.changed = make(chan struct{})
}

// SetCheck sets what a look at the record finds, and how many lines can't be read.
func (f *Fake) SetCheck(c wire.ActivityCheck, skipped int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.check, f.skipped = c, skipped
}

// Queries returns the queries so far.
func (f *Fake) Queries() []wire.ActivityQuery {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.queries)
}

func (f *Fake) query(q wire.ActivityQuery) (fit []wire.Activity, skipped int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queries = append(f.queries, q)
	for _, a := range f.records {
		if at := slices.IndexFunc(fit, func(b wire.Activity) bool { return b.ID == a.ID }); at >= 0 {
			fit[at] = a
		} else if q.Host == "" || q.Host == a.Host {
			fit = append(fit, a)
		}
	}
	if q.Limit > 0 && len(fit) > q.Limit {
		fit = fit[len(fit)-q.Limit:]
	}
	return fit, f.skipped
}

// Activity implements localapi.Record; of the filters it knows host and limit.
func (f *Fake) Activity(_ context.Context, q wire.ActivityQuery, send func(*wire.Activity) error) (int, error) {
	fit, skipped := f.query(q)
	for _, a := range fit {
		if err := send(&a); err != nil {
			return 0, err
		}
	}
	return skipped, nil
}

// FollowActivity implements localapi.Record.
func (f *Fake) FollowActivity(ctx context.Context, q wire.ActivityQuery, send func(*wire.Activity) error) error {
	f.mu.Lock()
	sent := len(f.records)
	f.mu.Unlock()
	if _, err := f.Activity(ctx, q, send); err != nil {
		return err
	}
	for {
		f.mu.Lock()
		later, changed := slices.Clone(f.records[sent:]), f.changed
		f.mu.Unlock()
		sent += len(later)
		for _, a := range later {
			if err := send(&a); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

// ExportActivity implements localapi.Record, with two columns.
func (f *Fake) ExportActivity(_ context.Context, q wire.ActivityQuery, format string, w io.Writer) error {
	fit, _ := f.query(q)
	rows := csv.NewWriter(w)
	for _, a := range fit {
		var err error
		if format == wire.FormatCSV {
			err = rows.Write([]string{a.ID, a.Host})
		} else {
			err = json.NewEncoder(w).Encode(a)
		}
		if err != nil {
			return err
		}
	}
	rows.Flush()
	return rows.Error()
}

// VerifyActivity implements localapi.Record.
func (f *Fake) VerifyActivity(context.Context) (*wire.ActivityCheck, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.check
	return &c, nil
}
