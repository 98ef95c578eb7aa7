package mcpb

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"bridgekeeper/app/draft"
)

// The bounds of a bundle; the largest real ones are about 150 MiB, with 12,000 files.
const (
	MaxBundle = 512 << 20 // bytes of the file
	maxFiles  = 20_000
	maxTotal  = 2 << 30 // bytes unpacked
	maxRatio  = 200     // of unpacked to packed; text packs 10 to 1
	// smallTotal is unpacked anyway, whatever its ratio: a file of zeros is no bomb yet.
	smallTotal = 4 << 20
	maxName    = 240 // bytes of a path: Windows takes 260 with our folder before it
)

// Bundle is an archive that was looked at: nothing of it is unpacked yet.
type Bundle struct {
	Manifest  *Manifest
	SHA256    string // of the whole file, in hexadecimal
	Size      int64
	Signature string // a sentence's end: "not signed", "signed by …, not verified"

	files []*zip.File
	names map[string]bool // of its files
}

// Open looks at an archive whole. r must stay open while the bundle is in use.
// Errors are *wire.Error with CodeBadBundle.
func Open(r io.ReaderAt, size int64) (*Bundle, error) {
	if size > MaxBundle {
		return nil, bad("it is larger than %d MiB", MaxBundle>>20)
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(r, 0, size)); err != nil {
		return nil, bad("it can't be read: %s", err)
	}
	b := &Bundle{SHA256: hex.EncodeToString(sum.Sum(nil)), Size: size, names: map[string]bool{}}
	end, err := archiveEnd(r, size)
	if err != nil {
		return nil, err
	}
	if b.Signature, err = signature(r, end, size); err != nil {
		return nil, err
	}
	z, err := zip.NewReader(io.NewSectionReader(r, 0, end), end)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, bad("it is no zip archive: %s", strings.TrimPrefix(err.Error(), "zip: "))
	}
	if err := b.entries(z.File, end); err != nil {
		return nil, err
	}
	data, err := b.manifest()
	if err != nil {
		return nil, err
	}
	b.Manifest, err = ParseManifest(data)
	return b, err
}

const (
	endRecord    = "PK\x05\x06"
	endRecordLen = 22
	maxComment   = 1<<16 - 1
	// maxSignature bounds what may follow the archive.
	maxSignature = 64 << 10
)

// archiveEnd is where the zip archive ends: behind its end record's comment.
func archiveEnd(r io.ReaderAt, size int64) (int64, error) {
	head := make([]byte, 4)
	if _, err := r.ReadAt(head, 0); err != nil || string(head) != "PK\x03\x04" {
		return 0, bad("it is no zip archive")
	}
	n := min(size, endRecordLen+maxComment+maxSignature)
	tail := make([]byte, n)
	if _, err := r.ReadAt(tail, size-n); err != nil && err != io.EOF {
		return 0, bad("it can't be read: %s", err)
	}
	for i := len(tail) - endRecordLen; i >= 0; i-- {
		if string(tail[i:i+4]) != endRecord {
			continue
		}
		comment := int(tail[i+20]) | int(tail[i+21])<<8
		if end := i + endRecordLen + comment; end <= len(tail) {
			return size - n + int64(end), nil
		}
	}
	return 0, bad("it is no whole zip archive")
}

// entries checks every entry, before one is unpacked.
func (b *Bundle) entries(files []*zip.File, packed int64) error {
	if len(files) > maxFiles {
		return bad("it has more than %d files", maxFiles)
	}
	folded := map[string]string{} // by the name in small letters
	dirs := map[string]bool{}
	var total uint64
	for _, f := range files {
		name := strings.TrimSuffix(f.Name, "/")
		isDir := name != f.Name
		if why := badName(name); why != "" {
			return bad("its entry %.120q %s", f.Name, why)
		}
		mode := f.Mode()
		switch {
		case f.Flags&1 != 0:
			return bad("its entry %.120q is encrypted", f.Name)
		case mode&fs.ModeSymlink != 0:
			return bad("its entry %.120q is a link", f.Name)
		case mode.IsDir() != isDir || !isDir && !mode.IsRegular():
			return bad("its entry %.120q is neither a file nor a folder", f.Name)
		case f.Method != zip.Store && f.Method != zip.Deflate:
			return bad("its entry %.120q is packed in a way that isn't known", f.Name)
		}
		fold := strings.ToLower(name)
		if other, ok := folded[fold]; ok && !(isDir && dirs[fold] && other == name) {
			return bad("its entries %.120q and %.120q are one file on some systems", other, name)
		}
		folded[fold] = name
		dirs[fold] = isDir
		if !isDir {
			b.names[name] = true
		}
		total += f.UncompressedSize64
		if f.UncompressedSize64 > maxTotal || total > maxTotal {
			return bad("it is larger than %d GiB unpacked", maxTotal>>30)
		}
	}
	if total > smallTotal && total/uint64(max(packed, 1)) > maxRatio {
		return bad("it is %d times as large unpacked", total/uint64(max(packed, 1)))
	}
	for fold, name := range folded { // a file can't be the folder of another, in any case
		for parent := path.Dir(fold); parent != "."; parent = path.Dir(parent) {
			if other, ok := folded[parent]; ok && !dirs[parent] {
				return bad("its entry %.120q would lie within the file %.120q", name, other)
			} else if ok && other != name[:len(parent)] && len(name) >= len(parent) {
				return bad("its folders %.120q and %.120q are one on some systems", other, name[:len(parent)])
			}
		}
	}
	b.files = files
	return nil
}

// reserved are names that Windows gives to devices.
var reserved = regexp.MustCompile(`(?i)^(con|prn|aux|nul|clock\$|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\..*)?$`)

// badName says why a path in an archive is refused; "" when it isn't.
func badName(name string) string {
	switch {
	case name == "" || len(name) > maxName:
		return "has no name, or a very long one"
	case !utf8.ValidString(name):
		return "has a name that isn't UTF-8"
	case strings.HasPrefix(name, "/"):
		return "has an absolute path"
	case strings.ContainsAny(name, `\:*?"<>|`):
		return "has a character in its name that Windows reads as something else"
	case strings.ContainsFunc(name, unicode.IsControl):
		return "has a control character in its name"
	}
	for part := range strings.SplitSeq(name, "/") {
		switch {
		case part == "" || part == "." || part == "..":
			return "has a path that leads elsewhere"
		case reserved.MatchString(part):
			return "has the name of a device on Windows"
		case strings.HasSuffix(part, ".") || strings.HasSuffix(part, " "):
			return "has a name that Windows shortens"
		}
	}
	return ""
}

// manifest reads manifest.json, which must be at the top, in these letters.
func (b *Bundle) manifest() ([]byte, error) {
	hint := ""
	for _, f := range b.files {
		if f.Name == "manifest.json" {
			return readFile(f, MaxManifest)
		}
		if strings.EqualFold(path.Base(f.Name), "manifest.json") && hint == "" {
			hint = fmt.Sprintf(": it has %.120q, which must be manifest.json, at its top", f.Name)
		}
	}
	return nil, bad("it has no manifest.json%s", hint)
}

// readFile reads an entry whole, at most limit bytes, whatever its header says.
func readFile(f *zip.File, limit int64) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, bad("its %.120q can't be read: %s", f.Name, err)
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	var corrupt flate.CorruptInputError
	switch {
	case errors.As(err, &corrupt), err != nil:
		return nil, bad("its %.120q is damaged: %s", f.Name, strings.TrimPrefix(err.Error(), "zip: "))
	case int64(len(data)) > limit:
		return nil, bad("its %.120q is larger than %d MiB", f.Name, limit>>20)
	}
	return data, nil
}

// Has tells whether the bundle has a file of that name.
func (b *Bundle) Has(name string) bool { return b.names[name] }

// Draft is what the bundle would run from the folder dir.
func (b *Bundle) Draft(o Options) *draft.Draft {
	o.Has = b.Has
	d := b.Manifest.Draft(o)
	d.Source.SHA256, d.Source.Signature = b.SHA256, b.Signature
	return d
}

// OpenBytes is Open for a bundle in memory.
func OpenBytes(data []byte) (*Bundle, error) { return Open(bytes.NewReader(data), int64(len(data))) }
