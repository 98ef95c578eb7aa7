package ui

import (
	"context"

	"bridgekeeper/app/client"
	"bridgekeeper/app/wire"
)

// Answers is what pop-ups have the core do, each beside Fyne's goroutine; done is
// called on it.
type Answers struct{ model *Model }

// Answers returns what pop-ups need of the core.
func (m *Model) Answers() Answers { return Answers{m} }

// Answer answers a question.
func (a Answers) Answer(id string, answer wire.Answer, done func(error)) {
	a.model.Do(func(ctx context.Context, c *client.Client) error { return c.Answer(ctx, id, answer) }, done)
}

// DenyServer denies everything that waits because of a server.
func (a Answers) DenyServer(server string, done func(error)) {
	a.model.Do(func(ctx context.Context, c *client.Client) error {
		_, err := c.DenyServer(ctx, server)
		return err
	}, done)
}

// Fetch gets an open question whole.
func (a Answers) Fetch(id string, done func(*wire.Question, error)) {
	var q *wire.Question
	a.model.Do(func(ctx context.Context, c *client.Client) (err error) {
		q, err = c.Question(ctx, id)
		return err
	}, func(err error) {
		if err != nil {
			q = nil
		}
		done(q, err)
	})
}

// Past tells how a question ended; nil when it isn't known.
func (a Answers) Past(id string, done func(*wire.Settled)) {
	var found *wire.Settled
	a.model.Do(func(ctx context.Context, c *client.Client) error {
		past, err := c.PastQuestions(ctx)
		for i := range past {
			if past[i].ID == id {
				found = &past[i]
			}
		}
		return err
	}, func(error) { done(found) }) // one that can't be told is one that isn't known
}
