package ui

import (
	"fmt"
	"testing"

	"fyne.io/fyne/v2/widget"

	"bridgekeeper/app/wire"
	"bridgekeeper/ui/look"
)

func BenchmarkServersScroll(b *testing.B) {
	snap := sample()
	for i := len(snap.Servers); i < 200; i++ {
		s := snap.Servers[i%6]
		s.Name = fmt.Sprint("server-", i)
		snap.Servers = append(snap.Servers, s)
	}
	s := newStage(b, nil, snap, true, WindowSize)
	p := s.pages[PageServers].(*serversPage)
	scroll(b, &p.rows.List, 200*look.RowHeight)
}

func BenchmarkToolsScroll(b *testing.B) {
	s := newStage(b, nil, sample(), true, WindowSize)
	p := s.pages[PageServers].(*serversPage)
	p.open("github")
	p.view.tabs.choose(partTools)
	p.view.tools.take(tools(2000))
	scroll(b, &p.view.tools.rows.List, 2000*36)
}

// scroll moves a list on by half a page each time: what a frame may cost.
func scroll(b *testing.B, l *widget.List, height float32) {
	var y float32
	for b.Loop() {
		y += 240
		if y > height-700 {
			y = 0
		}
		l.ScrollToOffset(y)
	}
}

func BenchmarkApply(b *testing.B) {
	snap := sample()
	for i := len(snap.Servers); i < 200; i++ {
		s := snap.Servers[i%6]
		s.Name = fmt.Sprint("server-", i)
		snap.Servers = append(snap.Servers, s)
	}
	s := newStage(b, nil, snap, true, WindowSize)
	for b.Loop() {
		s.model.Apply(snap)
	}
}

func BenchmarkLogsDraw(b *testing.B) {
	s := newStage(b, nil, sample(), true, WindowSize)
	s.Visit(PageLogs)
	p := s.pages[PageLogs].(*logsPage)
	chatter(p.ring, ringLines)
	p.draw()
	for i := 0; b.Loop(); i++ {
		for k := range 250 { // a quarter of a second of a thousand lines each
			p.ring.add(wire.LogLine{Seq: uint64(ringLines + i*250 + k + 1), Server: "github", Source: "stderr", Text: "GET /repos/acme/shop/issues 200 (212 ms)"})
		}
		p.draw()
	}
}
