package localapitest

import (
	"context"
	"slices"
	"time"

	"bridgekeeper/app/wire"
)

// Ask opens a question.
func (f *Fake) Ask(q wire.Question) {
	f.Update(func(s *wire.Snapshot) { s.Questions = append(slices.Clone(s.Questions), q) })
}

func (f *Fake) find(id string) (wire.Question, *wire.Error) {
	for _, q := range f.Snapshot().Questions {
		if q.ID == id {
			return q, nil
		}
	}
	return wire.Question{}, &wire.Error{Code: wire.CodeNoSuchQuestion, Message: "There is no question \"" + id + "\"."}
}

func (f *Fake) Question(_ context.Context, id string) (*wire.Question, error) {
	q, err := f.find(id)
	if err != nil {
		return nil, err
	}
	return &q, nil
}

func (f *Fake) Past(context.Context) ([]wire.Settled, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.past), nil
}

func (f *Fake) Answer(_ context.Context, id string, a wire.Answer) error {
	q, err := f.find(id)
	switch {
	case err != nil:
		return err
	case !slices.Contains(q.Choices, a.Choice):
		return &wire.Error{Code: wire.CodeBadAnswer, Message: "That is no choice of this question."}
	}
	f.mu.Lock()
	f.past = append(f.past, wire.Settled{Question: q, At: time.Now(), Choice: a.Choice, By: "cli", End: "answered"})
	f.answers = append(f.answers, a)
	f.mu.Unlock()
	f.Update(func(s *wire.Snapshot) {
		s.Questions = slices.DeleteFunc(slices.Clone(s.Questions), func(one wire.Question) bool { return one.ID == id })
	})
	return nil
}

// Answers returns the answers so far.
func (f *Fake) Answers() []wire.Answer {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.answers)
}

func (f *Fake) DenyServer(ctx context.Context, server string) (int, error) {
	n := 0
	for _, q := range f.Snapshot().Questions {
		if q.Server == server {
			if err := f.Answer(ctx, q.ID, wire.Answer{Choice: wire.ChooseDeny}); err != nil {
				return n, err
			}
			n++
		}
	}
	return n, nil
}

func (f *Fake) Hold(_ context.Context, on bool) error {
	f.Update(func(s *wire.Snapshot) {
		s.Core.Held = time.Time{}
		if on {
			s.Core.Held = time.Now()
		}
	})
	return nil
}

func (f *Fake) Attend(context.Context) (func(), error) { return func() {}, nil }
