package sampling

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"bridgekeeper/app/rawjson"
)

// Model is one provider of models.
type Model interface {
	// Complete asks a model, once: a question that may have been counted is never
	// sent again. Errors are sentences and never hold the key.
	Complete(ctx context.Context, r *Request, model string, maxTokens int) (*Result, error)
}

// Preferences are a server's wishes for a model.
type Preferences struct {
	Hints []string // parts of names, the most wanted first
	// From 0, doesn't matter, to 1, matters most.
	Cost, Speed, Intelligence float64
}

// ModelConfig is a model that the person offers. The scores are what the person
// says of it, each from 0 to 1 and higher for better: Cost 1 is the cheapest.
type ModelConfig struct {
	Name                      string // how the config calls it
	Model                     string // how the provider calls it
	Cost, Speed, Intelligence float64
	Default                   bool
}

func (p *Preferences) read(raw json.RawMessage) *Refusal {
	members, err := rawjson.Members(raw)
	if err != nil {
		return refuse("The modelPreferences are no proper object.")
	}
	for _, m := range members {
		value := m.Of(raw)
		if string(value) == "null" {
			continue
		}
		switch m.Name {
		case "costPriority", "speedPriority", "intelligencePriority":
			f, err := strconv.ParseFloat(string(value), 64)
			if rawjson.Kind(value) != "number" || err != nil || f < 0 || f > 1 {
				return refuse("The %s must be a number from 0 to 1.", m.Name)
			}
			*map[string]*float64{"costPriority": &p.Cost, "speedPriority": &p.Speed, "intelligencePriority": &p.Intelligence}[m.Name] = f
		case "hints":
			list, err := rawjson.Elements(value)
			if err != nil || len(list) > maxHints {
				return refuse("The hints of the modelPreferences must be a list of at most %d.", maxHints)
			}
			for _, s := range list {
				var hint struct{ Name *string }
				if err := json.Unmarshal(s.Of(value), &hint); err != nil || rawjson.Kind(s.Of(value)) != "object" || hint.Name != nil && len(*hint.Name) > maxName {
					return refuse("A hint of the modelPreferences is wrong.")
				}
				if hint.Name != nil && *hint.Name != "" {
					p.Hints = append(p.Hints, *hint.Name)
				}
			}
		}
	}
	return nil
}

// Choose picks one of the person's models: the first hint that is part of a
// model's name decides (among several, the priorities do), then the priorities
// alone, then the default, which is the first if none is marked. It is false when
// there are no models.
func Choose(p Preferences, models []ModelConfig) (ModelConfig, bool) {
	if len(models) == 0 {
		return ModelConfig{}, false
	}
	for _, hint := range p.Hints {
		var found []ModelConfig
		for _, m := range models {
			if contains(m.Model, hint) || contains(m.Name, hint) {
				found = append(found, m)
			}
		}
		if len(found) > 0 {
			return best(p, found), true
		}
	}
	return best(p, models), true
}

func contains(name, part string) bool {
	return strings.Contains(strings.ToLower(name), strings.ToLower(part))
}

// best weighs scores by priorities; what is equal, or not weighed, falls to the
// default and then to the first.
func best(p Preferences, models []ModelConfig) ModelConfig {
	score := func(m ModelConfig) float64 {
		return p.Cost*m.Cost + p.Speed*m.Speed + p.Intelligence*m.Intelligence
	}
	top := models[0]
	for _, m := range models[1:] {
		if s, t := score(m), score(top); s > t || s == t && m.Default && !top.Default {
			top = m
		}
	}
	return top
}
