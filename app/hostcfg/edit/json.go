package edit

import (
	"bytes"

	"bridgekeeper/app/hostcfg/known"
	"bridgekeeper/app/hostcfg/read"
	"bridgekeeper/app/jsonedit"
)

func putJSON(data []byte, bare bool, path []string, name string, entry any) ([]byte, error) {
	if bare {
		var whole any = jsonedit.Object{{Key: name, Value: entry}}
		for i := len(path) - 1; i >= 0; i-- {
			whole = jsonedit.Object{{Key: path[i], Value: whole}}
		}
		text := jsonedit.Render(whole)
		if nl := newline(data); nl != "\n" {
			text = string(bytes.ReplaceAll([]byte(text), []byte("\n"), []byte(nl)))
		}
		return []byte(text), nil
	}
	t, mistake := jsonedit.Parse(data)
	if mistake != nil {
		return nil, mistake
	}
	e := &jsonedit.Editor{Text: t}
	for i := range path {
		at := path[:i+1]
		if v := e.Find(at...); v != nil && v.Value.Kind() == '{' {
			continue
		}
		if err := e.Set(jsonedit.Object{}, at...); err != nil {
			return nil, err
		}
	}
	at := append(append([]string{}, path...), name)
	if err := e.Set(entry, at...); err != nil {
		return nil, err
	}
	return e.Text.Bytes(), nil
}

func takeJSON(data []byte, path []string, name string) ([]byte, error) {
	t, mistake := jsonedit.Parse(data)
	if mistake != nil {
		return nil, mistake
	}
	e := &jsonedit.Editor{Text: t}
	if err := e.Unset(append(append([]string{}, path...), name)...); err != nil {
		return nil, err
	}
	return e.Text.Bytes(), nil
}

// Cut returns an entry's text in a file of JSON as it is written, to be put back
// with jsonedit.Raw; "" when it isn't there.
func Cut(data []byte, path []string, name string) string {
	t, mistake := jsonedit.Parse(data)
	if mistake != nil {
		return ""
	}
	e := &jsonedit.Editor{Text: t}
	v := e.Find(append(append([]string{}, path...), name)...)
	if v == nil {
		return ""
	}
	return string(t.Src[v.StartOffset:v.EndOffset])
}

// PutRaw returns data with an entry, written as it is, at the path of a file of JSON.
func PutRaw(data []byte, format known.Format, path []string, name, raw string) ([]byte, error) {
	before, err := sound(data, format)
	if err != nil {
		return nil, err
	}
	want, _ := read.Plain(before.Root).(map[string]any)
	reach(want, path)[name] = Plain(jsonedit.Raw(raw))
	next, err := putJSON(data, before.Bare, path, name, jsonedit.Raw(raw))
	if err != nil {
		return nil, err
	}
	return verified(next, format, want)
}
