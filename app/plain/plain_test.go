package plain

import "testing"

func TestText(t *testing.T) {
	tests := []struct {
		in, want string
		hidden   bool
	}{
		{"as it is\n\tZürich 東京", "as it is\n\tZürich 東京", false},
		{"family 👨‍👩‍👧 می‌خواهم", "family 👨‍👩‍👧 می‌خواهم", false},
		{"pay \u202e001\u202c", "pay 001", true},
		{"a\u200bb\ufeffc\u00add", "abcd", true},
		{"x\x1b[31mred\x00", "x[31mred", true},
		{"tags\U000e0041\U000e0042", "tags", true},
		{"line\r\nnext\u2028last", "line\nnext\nlast", false},
		{"\u3164", "", true},
	}
	for _, tt := range tests {
		if got, hidden := Text(tt.in); got != tt.want || hidden != tt.hidden {
			t.Errorf("%q: %q, %v; want %q, %v", tt.in, got, hidden, tt.want, tt.hidden)
		}
	}
	if got, _ := Line(" two\n lines "); got != "two lines" {
		t.Errorf("one line: %q", got)
	}
}
