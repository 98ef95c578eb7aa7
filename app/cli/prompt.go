package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// prompter asks the person on the terminal. What it says goes to stderr, so that
// stdout stays the command's answer.
type prompter struct {
	p    *program
	in   *bufio.Reader
	file *os.File // nil where stdin is no terminal
}

// maxTyped bounds one line of stdin.
const maxTyped = 1 << 20

func (p *program) prompter() *prompter {
	a := &prompter{p: p, in: bufio.NewReaderSize(io.LimitReader(p.stdin, 8*maxTyped), 4096)}
	if f, ok := p.stdin.(*os.File); ok && terminal(f) && term.IsTerminal(int(f.Fd())) {
		a.file = f
	}
	return a
}

// person reports whether somebody is there to answer.
func (a *prompter) person() bool { return a.file != nil }

var errNoAnswer = errors.New("stdin ended before every question had an answer")

// ask reads one line. A secret is not shown while it is typed.
func (a *prompter) ask(label string, secret bool) (string, error) {
	a.p.err.text(label)
	if secret && a.file != nil && a.in.Buffered() == 0 {
		data, err := term.ReadPassword(int(a.file.Fd()))
		a.p.err.text("\n")
		return string(data), err
	}
	line, err := a.in.ReadString('\n')
	if a.file == nil {
		a.p.err.text("\n")
	}
	if err != nil && line == "" {
		return "", errNoAnswer
	}
	return strings.TrimRight(line, "\r\n"), nil
}

// yes asks a question whose answer is no unless it is y or yes.
func (a *prompter) yes(question string) (bool, error) {
	answer, err := a.ask(fmt.Sprintf("%s [y/N] ", question), false)
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes", err
}
