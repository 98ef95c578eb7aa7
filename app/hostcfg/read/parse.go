package read

import (
	"bytes"
	"fmt"

	"bridgekeeper/app/hostcfg/known"
)

// File is a host's file understood.
type File struct {
	Root     *Map
	Encoding Encoding
	// Notes are sentences about the file as a whole: a mark, a fragment, a name twice.
	Notes []string
	// Lenient tells why a reader without patience would refuse the file; "" when it
	// would not.
	Lenient string
	// Whole is false when the text was read as if it had braces around it.
	Whole bool
	// Bare is set when the file has nothing in it: it is empty or says null.
	Bare bool
}

// Parse understands a file's bytes. A file that makes no sense is an error that
// says where.
func Parse(data []byte, format known.Format) (*File, error) {
	text, encoding, err := Text(data)
	if err != nil {
		return nil, err
	}
	f := &File{Encoding: encoding, Whole: true, Root: &Map{}}
	if encoding != UTF8 {
		f.Notes = append(f.Notes, "The file is "+string(encoding)+".")
	}
	if len(bytes.TrimSpace(text)) == 0 {
		f.Bare = true
		return f, nil
	}
	switch format {
	case known.TOML:
		f.Root, err = parseTOML(text)
	case known.YAML:
		f.Root, err = parseYAML(text)
	default:
		err = f.parseJSON(text)
	}
	if err != nil {
		return nil, err
	}
	if f.Root == nil {
		f.Root, f.Bare = &Map{}, true
	}
	for _, name := range f.Root.Twice {
		f.Notes = append(f.Notes, fmt.Sprintf("%.80q is there twice; the last one counts.", name))
	}
	return f, nil
}
