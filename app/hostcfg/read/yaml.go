package read

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

const (
	// maxDepth is far above any settings; deeper files are made to break readers.
	maxDepth = 100
	// maxNodes bounds what aliases multiply.
	maxNodes = 500_000
)

// parseYAML reads the first document of a file.
func parseYAML(text []byte) (*Map, error) {
	doc, err := Document(text)
	if err != nil || doc == nil {
		return nil, err
	}
	nodes := 0
	v, err := node(doc, 0, &nodes)
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case *Map:
		return v, nil
	case nil:
		return nil, nil
	}
	return nil, errors.New("the file must have a mapping: key: value")
}

// Document is the root of a file's one document; nil when there is none.
func Document(text []byte) (root *yaml.Node, err error) {
	defer func() {
		if p := recover(); p != nil { // the library's own, on odd input
			root, err = nil, errors.New("the file can't be understood")
		}
	}()
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(doc.Content) == 0 {
		return nil, nil
	}
	return doc.Content[0], nil
}

func node(n *yaml.Node, depth int, nodes *int) (any, error) {
	if *nodes++; depth > maxDepth || *nodes > maxNodes {
		return nil, fmt.Errorf("line %d: nested too deep, or too large", n.Line)
	}
	switch n.Kind {
	case yaml.AliasNode:
		return node(n.Alias, depth+1, nodes)
	case yaml.SequenceNode:
		out := []any{}
		for _, e := range n.Content {
			v, err := node(e, depth+1, nodes)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		return out, nil
	case yaml.MappingNode:
		return mapping(n, depth, nodes)
	}
	switch n.ShortTag() {
	case "!!null":
		return nil, nil
	case "!!bool":
		var b bool
		err := n.Decode(&b)
		return b, err
	case "!!int", "!!float":
		return Number(n.Value), nil
	}
	return n.Value, nil
}

func mapping(n *yaml.Node, depth int, nodes *int) (any, error) {
	m := &Map{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		v, err := node(n.Content[i+1], depth+1, nodes)
		if err != nil {
			return nil, err
		}
		if key.ShortTag() == "!!merge" {
			if merged, ok := v.(*Map); ok {
				for _, one := range merged.Members {
					if _, there := m.Get(one.Key); !there {
						m.add(one)
					}
				}
			}
			continue
		}
		m.add(Member{Key: key.Value, Value: v, Line: key.Line})
	}
	return m, nil
}
