package misbehave

import "bytes"

// echoCall holds spans of a request line.
type echoCall struct {
	id, method, text []byte
}

// scan finds the spans; it reports false for anything but an object.
func (c *echoCall) scan(line []byte) bool {
	ok := true
	valid := members(line, func(key, value []byte) {
		switch string(key) {
		case `"id"`:
			c.id = value
		case `"method"`:
			c.method = value
		case `"params"`:
			ok = members(value, func(key, value []byte) {
				if string(key) == `"arguments"` {
					ok = members(value, func(key, value []byte) {
						if string(key) == `"text"` && value[0] == '"' {
							c.text = value
						}
					})
				}
			}) && ok
		}
	})
	return valid && ok
}

// members calls each with the raw key and value of every member of an object.
// It checks just enough structure not to run out of the line.
func members(obj []byte, each func(key, value []byte)) bool {
	i := space(obj, 0)
	if i >= len(obj) || obj[i] != '{' {
		return false
	}
	i = space(obj, i+1)
	if i < len(obj) && obj[i] == '}' {
		return true
	}
	for {
		end := skip(obj, i)
		if end < 0 || obj[i] != '"' {
			return false
		}
		key := obj[i:end]
		i = space(obj, end)
		if i >= len(obj) || obj[i] != ':' {
			return false
		}
		i = space(obj, i+1)
		end = skip(obj, i)
		if end < 0 {
			return false
		}
		each(key, obj[i:end])
		i = space(obj, end)
		if i >= len(obj) || obj[i] != ',' {
			return i < len(obj) && obj[i] == '}'
		}
		i = space(obj, i+1)
	}
}

func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r' || b[i] == '\n') {
		i++
	}
	return i
}

// skip returns the end of the value that begins at i, or -1.
func skip(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		depth := 0
		for i < len(b) {
			switch b[i] {
			case '"':
				if i = skipString(b, i); i < 0 {
					return -1
				}
				continue
			case '{', '[':
				depth++
			case '}', ']':
				depth--
				if depth == 0 {
					return i + 1
				}
			}
			i++
		}
		return -1
	}
	start := i
	for i < len(b) && b[i] != ',' && b[i] != '}' && b[i] != ']' && b[i] != ':' && b[i] != '"' && space(b, i) == i {
		i++
	}
	if i == start {
		return -1
	}
	return i
}

func skipString(b []byte, i int) int {
	for start := i + 1; ; {
		q := bytes.IndexByte(b[start:], '"')
		if q < 0 {
			return -1
		}
		q += start
		back := q
		for back > i+1 && b[back-1] == '\\' {
			back--
		}
		if (q-back)%2 == 0 {
			return q + 1
		}
		start = q + 1
	}
}
