package supervisor

import (
	"context"
	"fmt"
)

// followBatch is how many lines a follower takes at once.
const followBatch = 128

// Follow calls send with the newest n lines (all kept ones when n is 0 or
// less) and with every later one, until ctx ends, send fails or the server is
// forgotten (then it returns nil). A follower too slow for the ring goes on with
// the oldest kept line, and a line of ours says how many it missed.
func (l *Log) Follow(ctx context.Context, n int, send func(Line) error) error {
	l.mu.Lock()
	if n <= 0 || n > l.count {
		n = l.count
	}
	next := l.seq - uint64(n) + 1
	l.mu.Unlock()
	batch := make([]Line, followBatch)
	for {
		got, missed, changed := l.after(next, batch)
		if missed > 0 {
			note := Line{
				Seq: next + missed - 1, Time: got[0].Time, Source: FromUs,
				Text: fmt.Sprintf("%d lines are missing here: they came faster than they could be shown", missed),
			}
			if err := send(note); err != nil {
				return err
			}
		}
		for _, line := range got {
			if err := ctx.Err(); err != nil {
				return context.Cause(ctx)
			}
			if err := send(line); err != nil {
				return err
			}
			next = line.Seq + 1
		}
		if len(got) > 0 {
			continue
		}
		if changed == nil {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// after copies lines from number next on. missed counts those that were already
// dropped. Without a line, changed is closed at the next one; nil means never.
func (l *Log) after(next uint64, batch []Line) (got []Line, missed uint64, changed <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	oldest := l.seq - uint64(l.count) + 1
	if next < oldest && l.count > 0 {
		missed = oldest - next
		next = oldest
	}
	if next <= l.seq {
		n := l.copyLocked(batch, int(next-oldest))
		return batch[:n], missed, nil
	}
	if l.closed {
		return nil, 0, nil
	}
	if l.changed == nil {
		l.changed = make(chan struct{})
	}
	return nil, 0, l.changed
}
