package cli

import (
	"encoding/json"
	"fmt"
	"io"

	"bridgekeeper/app/wire"
)

// Announce tells the person, or with --json the program, that started serve
// where the core is. token is set when the first start made a host to try with.
func Announce(o ServeOptions, core wire.Core, token string) {
	if o.JSON {
		line, err := json.Marshal(struct {
			URL    string `json:"url"`
			Socket string `json:"socket"`
			PID    int    `json:"pid"`
		}{core.URL, core.Socket, core.PID})
		if err == nil { // strings and a number: it always is
			fmt.Fprintf(o.Stdout, "%s\n", line)
		}
		return
	}
	fmt.Fprintf(o.Stdout, "Bridgekeeper %s is running.\n\n  URL     %s\n", core.Version, core.URL)
	switch {
	case core.Open:
		fmt.Fprintf(o.Stdout, "\nWARNING: --open is set. Every program on this computer can use the servers without a token.\n")
	case token != "":
		fmt.Fprintf(o.Stdout, "  Token   %s\n          (shown this once; it belongs to the host \"my-host\")\n\n", token)
		connectHints(o.Stdout, core.URL, token)
	default:
		fmt.Fprintf(o.Stdout, "\nTo connect an AI application: bridgekeeper host add NAME\n")
	}
	if core.Answers == "allow" {
		fmt.Fprintf(o.Stdout, "\nWARNING: --answers allow is set. Tools that change or delete things run without anybody being asked.\n")
	}
	fmt.Fprintf(o.Stdout, "\nCtrl-C stops Bridgekeeper and every server. In another terminal: bridgekeeper status\n\n")
}

// AnnounceTray tells who started the tray on a terminal where things are.
func AnnounceTray(o TrayOptions, core wire.Core, foreign bool, log string) {
	if foreign {
		fmt.Fprintf(o.Stdout, "Bridgekeeper %s runs already (pid %d); its icon is in the tray now.\n\n  URL     %s\n", core.Version, core.PID, core.URL)
		return
	}
	fmt.Fprintf(o.Stdout, "Bridgekeeper %s is running, with its icon in the tray.\n\n  URL     %s\n  Log     %s\n\nCtrl-C, or Quit in the icon's menu, stops it and every server.\n", core.Version, core.URL, log)
}

// connectHints shows how the best-known hosts are connected.
func connectHints(w io.Writer, url, token string) {
	fmt.Fprintf(w, `  Claude Code   claude mcp add --transport http bridgekeeper %s --header "Authorization: Bearer %s"
  Cursor        "bridgekeeper": {"url": "%s", "headers": {"Authorization": "Bearer %s"}}   in ~/.cursor/mcp.json
  More          docs/connect.md
`, url, token, url, token)
}
