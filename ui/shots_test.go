package ui

import (
	"fmt"
	"maps"
	"os"
	"testing"
	"time"

	"fyne.io/fyne/v2"

	"bridgekeeper/app/wire"
	"bridgekeeper/ui/look/looktest"
)

// TestShots writes a picture of every page, in both looks, to the folder that
// BRIDGEKEEPER_SHOTS names: for eyes, beside the pages' goldens.
func TestShots(t *testing.T) {
	if os.Getenv("BRIDGEKEEPER_SHOTS") == "" {
		t.Skip("BRIDGEKEEPER_SHOTS names no folder")
	}
	for name, scene := range scenes() {
		for _, dark := range []bool{true, false} {
			look := map[bool]string{true: "-dark", false: "-light"}[dark]
			s := newStage(t, nil, sample(), dark, WindowSize)
			scene(s)
			looktest.Shoot(t, s.win, 1, name+look)
		}
		// Half a screen of 1280 by 880 pixels, at twice the size.
		s := newStage(t, nil, sample(), false, fyne.NewSize(640, 440))
		scene(s)
		looktest.Shoot(t, s.win, 1, name+"-small")
	}
}

// scenes are the states of the window that are looked at.
func scenes() map[string]func(*stage) {
	all := serverScenes()
	maps.Copy(all, pageScenes())
	return all
}

// serverScenes are those of one server's own page.
func serverScenes() map[string]func(*stage) {
	servers := func(s *stage) *serversPage { return s.pages[PageServers].(*serversPage) }
	return map[string]func(*stage){
		"resources": func(s *stage) {
			servers(s).open("github")
			servers(s).view.tabs.choose(partResources)
			list, _, _ := readOffers([]byte(`{"resources":[{"uri":"repo://acme/shop/README.md","name":"README","mimeType":"text/markdown","description":"The shop's front page."}],
				"resourceTemplates":[{"uriTemplate":"repo://{owner}/{name}/issues{?state}","title":"Issues of a repository","description":"Newest first."}]}`))
			servers(s).view.reads.take(list, nil)
			servers(s).view.reads.rows.Select(1)
		},
		"prompts": func(s *stage) {
			servers(s).open("github")
			servers(s).view.tabs.choose(partPrompts)
			list, _, _ := readOffers([]byte(`{"prompts":[{"name":"review","title":"Review a pull request","description":"Reads the change and says what to look at.","arguments":[{"name":"number","description":"of the pull request","required":true},{"name":"tone"}]}]}`))
			p := servers(s).view.prompts
			p.take(list, nil)
			p.out.SetText(readOffer([]byte(`{"messages":[{"role":"user","content":{"type":"text","text":"Review pull request 7.\nBe kind."}}]}`)))
			p.outBox.Show()
			p.detail.again()
		},
		"messages": func(s *stage) {
			servers(s).open("github")
			servers(s).view.tabs.choose(partTrace)
			p := servers(s).view.trace
			for i := range 30 {
				p.add(wire.TraceLine{Time: moment.Add(time.Duration(i) * 137 * time.Millisecond), Direction: wire.TraceOut, Bytes: 112, Text: fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"search_issues","arguments":{"q":"crash"}}}`, i)})
				p.add(wire.TraceLine{Time: moment.Add(time.Duration(i)*137*time.Millisecond + 40*time.Millisecond), Direction: wire.TraceIn, Bytes: 4120, Text: fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"two issues"}]}}`, i)})
			}
			p.draw()
			p.rows.Select(8)
		},
	}
}

func pageScenes() map[string]func(*stage) {
	servers := func(s *stage) *serversPage { return s.pages[PageServers].(*serversPage) }
	return map[string]func(*stage){
		"servers": func(s *stage) {},
		"servers-chosen": func(s *stage) {
			servers(s).rows.Select(0)
			s.win.Canvas().Focus(servers(s).rows)
		},
		"server":        func(s *stage) { servers(s).open("github") },
		"server-failed": func(s *stage) { servers(s).open("postgres") },
		"tools": func(s *stage) {
			servers(s).open("github")
			servers(s).view.tabs.choose(partTools)
			servers(s).view.tools.take(tools(26))
			servers(s).view.tools.rows.Select(1)
		},
		"edit": func(s *stage) { servers(s).edit("postgres", "PG_PASSWORD") },
		"logs": func(s *stage) {
			s.Visit(PageLogs)
			p := s.pages[PageLogs].(*logsPage)
			chatter(p.ring, 90)
			p.draw()
			p.pick(85, false)
		},
		"questions": func(s *stage) {
			s.Visit(PageQuestions)
			s.pages[PageQuestions].(*questionsPage).take(past())
		},
		"activity": func(s *stage) {
			s.Visit(PageActivity)
			p := s.pages[PageActivity].(*activityPage)
			busy(p.calls)
			p.draw()
		},
		"activity-chosen": func(s *stage) {
			s.Visit(PageActivity)
			p := s.pages[PageActivity].(*activityPage)
			busy(p.calls)
			p.draw()
			p.rows.Select(2)
		},
		"secrets": func(s *stage) { s.Visit(PageSecrets) },
		"hosts": func(s *stage) {
			s.Visit(PageHosts)
			s.pages[PageHosts].(*hostsPage).rows.Select(1)
		},
		"hosts-join": func(s *stage) {
			s.Visit(PageHosts)
			j := s.pages[PageHosts].(*hostsPage).join
			j.begin()
			j.given = wire.NewHost{Name: "zed", Token: "bk_3q9vXx0T2aPz", URL: "http://127.0.0.1:2734/mcp"}
			j.token.SetText(j.given.Token)
			j.title.Set("zed may connect", "")
			j.how.set("Cursor")
			j.instruct()
			j.form.Hide()
			j.done.Show()
			j.moved()
		},
		"add": func(s *stage) {
			s.Visit(PageAdd)
			s.pages[PageAdd].(*addPage).command.SetText("npx -y @modelcontextprotocol/server-memory")
		},
		"paste": func(s *stage) {
			s.Visit(PageAdd)
			p := s.pages[PageAdd].(*addPage)
			p.tabs.choose(1)
			p.paste.SetText(`{"mcpServers":{"files":{"command":"npx","args":["-y","@acme/files"]},"github":{"command":"docker","args":["run","gh"]}}}`)
		},
		"settings": func(s *stage) {
			s.Visit(PageSettings)
			s.pages[PageSettings].(*settingsPage).terms.show(wire.Settings{Ask: wire.PresetDestructive, Rules: []wire.Rule{
				{Server: "github", Tool: "get_*", Do: wire.VerdictAllow}, {Host: "codex", Server: "postgres", Do: wire.VerdictDeny, Note: "since June"}}})
		},
		"first-run": func(s *stage) { s.model.Apply(&wire.Snapshot{Core: sample().Core}) },
		"offline": func(s *stage) {
			s.model.down = &wire.Error{Code: wire.CodeNotRunning, Message: "Bridgekeeper is not running", Hint: "Start it with `bridgekeeper serve`."}
			s.model.changed()
		},
		"trouble": func(s *stage) {
			snap := sample()
			snap.Core.Held = ago_(1)
			snap.Core.Warnings = []string{"port 2734 was taken, so hosts reach this run at 2735"}
			s.model.Apply(snap)
			s.frame.tell("notes was removed.", "Undo", func() {}, false)
		},
	}
}
