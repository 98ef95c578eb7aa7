package main

import (
	"bufio"
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestClientReadsBothKindsOfBody(t *testing.T) {
	tests := map[string]struct {
		raw     string
		want    reply
		failure string
	}{
		"length":      {"HTTP/1.1 200 OK\r\nContent-length: 5\r\nMcp-Session-Id: s1\r\n\r\nhello", reply{200, "s1", []byte("hello")}, ""},
		"chunks":      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n", reply{200, "", []byte("hello")}, ""},
		"empty":       {"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n", reply{202, "", nil}, ""},
		"short":       {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", reply{}, "unexpected EOF"},
		"long chunk":  {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhello\r\n0\r\n\r\n", reply{}, "longer"},
		"other talk":  {"SSH-2.0-OpenSSH\r\n", reply{}, "odd status"},
		"odd chunk":   {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", reply{}, "odd chunk"},
		"odd lengths": {"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n", reply{}, "odd length"},
	}
	for name, tt := range tests {
		c := &conn{r: bufio.NewReader(strings.NewReader(tt.raw))}
		got, err := c.read()
		if tt.failure != "" {
			if err == nil || !strings.Contains(err.Error(), tt.failure) {
				t.Errorf("%s: error %v, want %q", name, err, tt.failure)
			}
			continue
		}
		if err != nil || got.status != tt.want.status || got.session != tt.want.session || !bytes.Equal(got.body, tt.want.body) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestRequestsOfASizeAreEquallyLong(t *testing.T) {
	r := newRequest("echo", 100, false)
	long := len(r.body)
	for _, id := range []int{0, 1, 799 * idsEach, 800*idsEach - 1} {
		r.setID(id)
		if len(r.body) != long || r.body[r.at+10] != ',' {
			t.Fatalf("id %d made %q", id, r.body)
		}
	}
	if !answers([]byte(`{"jsonrpc":"2.0","id":8999999999,"result":{}}`), r) || answers([]byte(`{"id":1000000000,"result":{}}`), r) {
		t.Error("an answer is not known by its id")
	}
}

func TestPayloadIsAStringInJSON(t *testing.T) {
	for size := range 200 {
		p := payload(size)
		if strings.HasSuffix(p, `\`) || size-len(p) > 1 {
			t.Errorf("payload(%d) is %d long and ends in %q", size, len(p), p[max(0, len(p)-3):])
		}
	}
}

func TestVerdictsFollowTheRounds(t *testing.T) {
	took := []time.Duration{}
	for i := range 100 {
		took = append(took, time.Duration(100-i)*time.Microsecond)
	}
	s := summarize(took, time.Second)
	if s.P50 != 50 || s.P99 != 99 || s.PerSec != 100 || s.CPU != -1 {
		t.Errorf("summary %+v", s)
	}
	r := &results{Plan: plan{Rounds: 3}, Memory: &memory{RSSNone: 20 << 10, PerCopy: 301}}
	for target, p50 := range map[string][3]float64{rawPipe: {10, 10, 10}, bareEcho: {10, 30, 10}, bridge: {20, 80, 90}, toModern: {40, 120, 190}, bothModern: {30, 80, 90}, toLegacy: {20, 80, 90}} {
		for _, size := range []int{small, large} {
			for _, n := range []int{1, 16} {
				c := &cell{Target: target, Size: size, AtOnce: n}
				for _, v := range p50 {
					c.Rounds = append(c.Rounds, sample{P50: v, PerSec: 1e6 / v, CPU: -1})
				}
				r.Cells = append(r.Cells, c)
			}
		}
	}
	// 20/20, 80/40 and 90/20: the median of the ratios, not the ratio of medians.
	want := map[string]float64{"CPU, 100 B": -1, "CPU, 1 MB": -1, "p50, 100 B": 2, "p50, 1 MB": 2, "calls a second": 0.375, "core alone": 20, "each server": 301,
		"p50, legacy host, modern": 2, "p50, modern host and": 1, "p50, modern host, legacy": 1, "CPU, legacy host": -1, "CPU, modern host": -1}
	for _, v := range judge(r) {
		for prefix, got := range want {
			if strings.HasPrefix(v.Wish, prefix) && (v.Got != got || v.Met != (prefix == "p50, 1 MB" || prefix == "core alone" || strings.HasPrefix(prefix, "p50, legacy host") || strings.HasPrefix(prefix, "p50, modern host"))) {
				t.Errorf("%s: got %v, met %v; want %v", v.Wish, v.Got, v.Met, got)
			}
		}
	}
}
