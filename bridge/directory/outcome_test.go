package directory

import (
	"strings"
	"testing"
)

func TestIsErrorOfLargeResults(t *testing.T) {
	large := `{"content":[{"type":"text","text":"` + strings.Repeat(`\"isError\":true `, 1<<15) + `"}]`
	for end, want := range map[string]bool{`}`: false, `,"isError":true}`: true, `,"isError": false}`: false} {
		if got := isError([]byte(large + end)); got != want {
			t.Errorf("%s: %v", end, got)
		}
	}
	if !isError([]byte(`{"isError":true,` + large[1:] + "}")) {
		t.Error("not seen in front")
	}
}

// BenchmarkIsError is what one look at a large result costs each call.
func BenchmarkIsError(b *testing.B) {
	for name, result := range map[string]string{
		"text": `{"content":[{"type":"text","text":"` + strings.Repeat("lorem ipsum ", 1<<17) + `"}]}`,
		"json": `{"content":[{"type":"text","text":"` + strings.Repeat(`{\"id\":1},`, 1<<17) + `"}],"isError":false}`,
	} {
		raw := []byte(result)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				if isError(raw) {
					b.Fatal("an error")
				}
			}
		})
	}
}
