package directory

import (
	"regexp"
	"strings"
	"testing"
)

func TestSeenAs(t *testing.T) {
	long := strings.Repeat("list_all_the_things_", 10)
	for _, c := range []struct{ server, own, want string }{
		{"a", "one", "a__one"},
		{"a", "getUser-2", "a__getUser-2"},
		{"a", "_x", "a___x"},
		{"a", strings.Repeat("x", 41), "a__" + strings.Repeat("x", 41)}, // 44 in all
		{"a", strings.Repeat("x", 42), "a__" + strings.Repeat("x", 30) + "_8346cfab3f"},
		{"files", "fs.read/file", "files__fs_read_file_32a1b446fe"},
		{"files", "fs_read_file", "files__fs_read_file"},
		{"a", "grün", "a__gr_n_2d694d4ce0"},
		{"a", "日本", "a__ed9aee0449"},
		{"a", "😀", "a__25e6e60254"},
		{"a", " ", "a__b65b0edab7"},
		{"a-server-with-a-rather-long-name", "do", "a-server-with-a-rather-long-name__do"},
		{"a-server-with-a-rather-long-name", long, "a-server-with-a-__list_all_the_th_538218b1d7"},
		{strings.Repeat("s", 64), "do", strings.Repeat("s", 16) + "__do_c73c930e24"},
		{"a", "x_0123456789", "a__x_0123456789_87bae05935"}, // as an alias could be
		{"a", "find_references", "a__find_references"},
	} {
		got := seenAs(c.server, c.own)
		if got != c.want {
			t.Errorf("%q of %s is %q, want %q", c.own, c.server, got, c.want)
		}
	}
}

// Hosts refused the whole list, or took one tool for another, because of one name.
func FuzzSeenAs(f *testing.F) {
	for _, own := range []string{"one", "fs.read", "x_0123456789", strings.Repeat("long_", 20), "日本", "\xff", "__", "a__b"} {
		f.Add("server", own, own+".")
		f.Add(strings.Repeat("s", 64), own, own+"_")
	}
	accepted := regexp.MustCompile(`^[A-Za-z0-9_-]{1,44}$`)
	f.Fuzz(func(t *testing.T, server, one, other string) {
		a, b := seenAs(server, one), seenAs(server, other)
		if !accepted.MatchString(a) || a != seenAs(server, one) {
			t.Errorf("%q of %q is seen as %q", one, server, a)
		}
		if one != other && a == b {
			t.Errorf("%q and %q of %q are both seen as %q", one, other, server, a)
		}
	})
}
