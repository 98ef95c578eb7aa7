package main

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/fyne-io/oksvg"
	"golang.org/x/image/math/fixed"
)

const (
	// curveSteps is in how many lines a curve is broken.
	curveSteps = 10
	// roundStep is the angle that one line of a round end covers.
	roundStep = math.Pi / 5
	// softTurn is the turn up to which two lines are one curve, and need no round
	// corner between them.
	softTurn = math.Pi / 5
)

// outline turns lines into areas: the toolkit's renderer doesn't scale the width
// of lines, and colours areas only. Ends and corners become round.
func outline(source []byte) ([]byte, error) {
	icon, err := oksvg.ReadIconStream(bytes.NewReader(bytes.ReplaceAll(source, []byte("currentColor"), []byte("#000000"))))
	if err != nil {
		return nil, err
	}
	var d strings.Builder
	for _, path := range icon.SVGPaths {
		var t tracer
		path.Path.AddTo(&t)
		t.Stop(false)
		for _, line := range t.lines {
			for _, ring := range line.stroke(path.LineWidth / 2) {
				for i, p := range ring {
					letter := "L"
					if i == 0 {
						letter = "M"
					}
					d.WriteString(letter + num(p.x) + " " + num(p.y))
				}
				d.WriteString("Z")
			}
		}
	}
	side := icon.ViewBox.W
	return fmt.Appendf(nil, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%[1]v\" height=\"%[1]v\" viewBox=\"0 0 %[1]v %[1]v\">"+
		"<path fill=\"currentColor\" d=\"%[2]s\"/></svg>\n", side, d.String()), nil
}

func num(v float64) string { return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64) }

type point struct{ x, y float64 }

func (p point) sub(q point) point { return point{p.x - q.x, p.y - q.y} }

// along is the point at a distance and an angle.
func (p point) along(distance, angle float64) point {
	return point{p.x + distance*math.Cos(angle), p.y + distance*math.Sin(angle)}
}

func at(p fixed.Point26_6) point { return point{float64(p.X) / 64, float64(p.Y) / 64} }

// polyline is the middle of what a pen draws.
type polyline struct {
	points []point
	closed bool
}

// tracer keeps paths as polylines.
type tracer struct {
	lines []polyline
	now   []point
}

func (t *tracer) Start(a fixed.Point26_6) {
	t.Stop(false)
	t.now = []point{at(a)}
}

func (t *tracer) Line(b fixed.Point26_6) { t.to(at(b)) }

func (t *tracer) to(p point) {
	if last := t.now[len(t.now)-1]; math.Hypot(p.x-last.x, p.y-last.y) > 0.02 {
		t.now = append(t.now, p)
	}
}

func (t *tracer) QuadBezier(b, c fixed.Point26_6) {
	p0, p1, p2 := t.now[len(t.now)-1], at(b), at(c)
	t.cube(p0, mix(p0, p1, 2.0/3), mix(p2, p1, 2.0/3), p2)
}

func (t *tracer) CubeBezier(b, c, d fixed.Point26_6) {
	t.cube(t.now[len(t.now)-1], at(b), at(c), at(d))
}

// cube breaks a curve into lines.
func (t *tracer) cube(p0, p1, p2, p3 point) {
	for i := 1; i <= curveSteps; i++ {
		s := float64(i) / curveSteps
		a, b, c := mix(p0, p1, s), mix(p1, p2, s), mix(p2, p3, s)
		t.to(mix(mix(a, b, s), mix(b, c, s), s))
	}
}

func (t *tracer) Stop(closed bool) {
	if len(t.now) > 0 {
		if first, last := t.now[0], t.now[len(t.now)-1]; closed && len(t.now) > 1 && math.Hypot(first.x-last.x, first.y-last.y) < 0.02 {
			t.now = t.now[:len(t.now)-1]
		}
		t.lines = append(t.lines, polyline{t.now, closed})
	}
	t.now = nil
}

func mix(a, b point, s float64) point { return point{a.x + (b.x-a.x)*s, a.y + (b.y-a.y)*s} }

// stroke is the area that a round pen of a radius covers along the line.
func (l polyline) stroke(radius float64) [][]point {
	n := len(l.points)
	back := make([]point, n)
	for i, p := range l.points {
		back[n-1-i] = p
	}
	if n == 1 {
		return [][]point{arc(nil, l.points[0], radius, 0, 2*math.Pi)}
	}
	if l.closed {
		return [][]point{side(l.points, radius, true), side(back, radius, true)}
	}
	ring := side(l.points, radius, false)
	end := angle(l.points[n-2], l.points[n-1])
	ring = arc(ring, l.points[n-1], radius, end-math.Pi/2, end+math.Pi/2)
	ring = append(ring, side(back, radius, false)...)
	start := angle(back[n-2], back[n-1])
	return [][]point{arc(ring, back[n-1], radius, start-math.Pi/2, start+math.Pi/2)}
}

func angle(a, b point) float64 { d := b.sub(a); return math.Atan2(d.y, d.x) }

// side is the line moved to its left by a radius.
func side(points []point, radius float64, closed bool) []point {
	n := len(points)
	var out []point
	for i, p := range points {
		if !closed && (i == 0 || i == n-1) {
			continue // the round ends are there
		}
		in, on := angle(points[(i+n-1)%n], p), angle(p, points[(i+1)%n])
		turn := math.Remainder(on-in, 2*math.Pi)
		switch {
		case math.Abs(turn) <= softTurn: // one curve: the point between
			out = append(out, p.along(radius/math.Cos(turn/2), in+turn/2-math.Pi/2))
		case turn > 0: // the outer side of a corner
			out = arc(out, p, radius, in-math.Pi/2, in+turn-math.Pi/2)
		default: // the inner one: where the two moved lines meet
			out = append(out, p.along(radius/math.Cos(turn/2), in+turn/2-math.Pi/2))
		}
	}
	return out
}

// arc adds points around p.
func arc(out []point, p point, radius, from, to float64) []point {
	steps := int(math.Ceil((to - from) / roundStep))
	for i := 0; i <= steps; i++ {
		out = append(out, p.along(radius, from+(to-from)*float64(i)/float64(steps)))
	}
	return out
}
