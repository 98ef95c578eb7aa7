package config

import (
	"fmt"

	"bridgekeeper/app/jsonedit"
	"bridgekeeper/app/wire"
)

// maxFile is far above any real config and keeps a wrong file (a database, a
// log) from being read into memory.
const maxFile = 4 << 20

// text is the file taken apart.
type text struct{ jsonedit.Text }

// parseText reads JSON with comments and trailing commas.
func parseText(data []byte) (text, *Problem) {
	if len(data) > maxFile {
		return text{}, &Problem{Error: broken("the config file is larger than 4 MiB", "")}
	}
	parsed, m := jsonedit.Parse(data)
	switch {
	case m == nil:
		return text{parsed}, nil
	case m.Kind == jsonedit.Empty:
		return text{parsed}, &Problem{Error: broken("the config file is empty", "Write {} into it, or delete it."), Line: 1, Col: 1}
	}
	return text{parsed}, problemAt(m.Line, m.Col, m.Sentence)
}

func (t text) problem(at int, sentence string) *Problem {
	line, col := t.Position(at)
	return problemAt(line, col, sentence)
}

func problemAt(line, col int, sentence string) *Problem {
	return &Problem{
		Error: broken(fmt.Sprintf("line %d, column %d of the config file: %s", line, col, sentence),
			"Correct that place; what ran before the edit goes on running until then."),
		Line: line, Col: col,
	}
}

func broken(sentence, hint string) wire.Error {
	return wire.Error{Code: wire.CodeConfigBroken, Message: sentence, Hint: hint}
}
