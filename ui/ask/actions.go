package ask

import "bridgekeeper/app/wire"

// Actions is what a pop-up can have done. Each returns at once; done is called on
// Fyne's goroutine, with a *wire.Error where the core said no.
type Actions interface {
	Answer(id string, a wire.Answer, done func(error))
	// DenyServer denies everything that waits because of a server.
	DenyServer(server string, done func(error))
	// Fetch gets an open question whole: lists leave long arguments out.
	Fetch(id string, done func(*wire.Question, error))
	// Past tells how a question ended; nil when it isn't known.
	Past(id string, done func(*wire.Settled))
}

// Checker says what is wrong with an accepted form before it is sent: a sentence
// for each field that has something wrong. The core has the last word.
type Checker interface {
	Check(form *wire.FormDetail, content []byte) map[string]string
}
