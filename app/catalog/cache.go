package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"bridgekeeper/app/home"
)

// maxKept bounds the answers that are kept; the oldest go first.
const maxKept = 500

// cache keeps answers, one file each. It may lose any of them at any time, so
// that what can't be written or read is only not there.
type cache struct{ dir string }

type entry struct {
	Address string          `json:"address"`
	At      time.Time       `json:"at"`
	ETag    string          `json:"etag,omitempty"`
	Body    json.RawMessage `json:"body"`
}

func (c *cache) file(address string) string {
	sum := sha256.Sum256([]byte(address))
	return filepath.Join(c.dir, hex.EncodeToString(sum[:16])+".json")
}

func (c *cache) read(address string) (e entry, ok bool) {
	info, err := os.Stat(c.file(address))
	if err != nil || info.Size() > 2*maxAnswer {
		return entry{}, false
	}
	data, err := os.ReadFile(c.file(address))
	if err != nil || json.Unmarshal(data, &e) != nil || e.Address != address || len(e.Body) == 0 {
		return entry{}, false
	}
	return e, true
}

func (c *cache) write(address string, e entry) {
	data, err := json.Marshal(e)
	if err != nil || os.MkdirAll(c.dir, 0o700) != nil {
		return
	}
	if home.Replace(c.file(address), data, 0o600) == nil {
		c.prune()
	}
}

func (c *cache) prune() {
	list, err := os.ReadDir(c.dir)
	if err != nil || len(list) <= maxKept {
		return
	}
	age := func(d fs.DirEntry) time.Time {
		info, err := d.Info()
		if err != nil {
			return time.Time{}
		}
		return info.ModTime()
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return age(a).Compare(age(b)) })
	for _, d := range list[:len(list)-maxKept] {
		if strings.HasSuffix(d.Name(), ".json") {
			os.Remove(filepath.Join(c.dir, d.Name()))
		}
	}
}
