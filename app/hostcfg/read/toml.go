package read

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/pelletier/go-toml/v2"
)

// parseTOML reads a file of TOML. Its tables come without their order, so that
// they are by name.
func parseTOML(text []byte) (*Map, error) {
	var root map[string]any
	if err := toml.Unmarshal(text, &root); err != nil {
		if at, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, col := at.Position()
			return nil, fmt.Errorf("line %d, column %d: %s", line, col, at.Error())
		}
		return nil, err
	}
	m, _ := table(root).(*Map)
	return m, nil
}

func table(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := &Map{}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			m.add(Member{Key: key, Value: table(v[key])})
		}
		return m
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = table(e)
		}
		return out
	case []map[string]any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = table(e)
		}
		return out
	case string, bool, nil:
		return v
	}
	return Number(fmt.Sprint(v)) // numbers, dates
}
