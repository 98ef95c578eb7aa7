package ui

import (
	"strings"

	"fyne.io/fyne/v2/lang"

	"bridgekeeper/app/wire"
)

// recipe is how one app is told of the endpoint; docs/connect.md has more words.
type recipe struct {
	app   string // "" is any other
	where string // the file that it goes into; "" for a command
	text  string // URL and TOKEN stand for the host's own
}

// recipes are those of the apps that most people use; a new host is one entry here.
var recipes = []recipe{
	{"Claude Code", "", `claude mcp add --scope user --transport http bridgekeeper URL --header "Authorization: Bearer TOKEN"`},
	{"Cursor", "~/.cursor/mcp.json", `{
  "mcpServers": {
    "bridgekeeper": {
      "url": "URL",
      "headers": { "Authorization": "Bearer TOKEN" }
    }
  }
}`},
	{"VS Code", "", `code --add-mcp '{"name":"bridgekeeper","type":"http","url":"URL","headers":{"Authorization":"Bearer TOKEN"}}'`},
	{"Codex", "~/.codex/config.toml", `[mcp_servers.bridgekeeper]
url = "URL"
http_headers = { Authorization = "Bearer TOKEN" }`},
	{"Copilot CLI", "~/.copilot/mcp-config.json", `{
  "mcpServers": {
    "bridgekeeper": {
      "type": "http",
      "url": "URL",
      "headers": { "Authorization": "Bearer TOKEN" },
      "tools": ["*"]
    }
  }
}`},
	{"Gemini CLI", "~/.gemini/settings.json", httpEntry},
	{"opencode", "~/.config/opencode/opencode.json", `{
  "mcp": {
    "bridgekeeper": {
      "type": "remote",
      "url": "URL",
      "headers": { "Authorization": "Bearer TOKEN" },
      "oauth": false,
      "enabled": true
    }
  }
}`},
	{"Zed", "~/.config/zed/settings.json", `{
  "context_servers": {
    "bridgekeeper": {
      "url": "URL",
      "headers": { "Authorization": "Bearer TOKEN" }
    }
  }
}`},
	{"", "", httpEntry},
}

// httpEntry is what most apps read.
const httpEntry = `{
  "mcpServers": {
    "bridgekeeper": {
      "type": "http",
      "url": "URL",
      "headers": { "Authorization": "Bearer TOKEN" }
    }
  }
}`

// recipeFor picks the recipe of an app by what a person called it.
func recipeFor(name string) recipe {
	name = strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(name))
	for _, r := range recipes {
		app := strings.ToLower(strings.ReplaceAll(r.app, " ", ""))
		if app != "" && (strings.Contains(name, app) || strings.Contains(app, name) && len(name) > 3) {
			return r
		}
	}
	return recipes[len(recipes)-1]
}

// fill is a recipe for one host.
func (r recipe) fill(h wire.NewHost) string {
	return strings.NewReplacer("URL", h.URL, "TOKEN", h.Token).Replace(r.text)
}

// place says where its text goes.
func (r recipe) place() string {
	switch {
	case r.where != "":
		return lang.L("Put this into {{.File}}, beside what is there.", named{"File": r.where})
	case r.app != "":
		return lang.L("Run this in a terminal, once.")
	}
	return lang.L("Most apps read an entry like this one from their file.")
}

func recipeOptions() []option {
	var list []option
	for _, r := range recipes {
		label := r.app
		if label == "" {
			label = lang.L("another app")
		}
		list = append(list, option{r.app, label})
	}
	return list
}
