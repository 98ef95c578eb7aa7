package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"bridgekeeper/app/draft"
	"bridgekeeper/app/mcpb"
	"bridgekeeper/app/wire"
)

const (
	// fetchTime bounds the download of a bundle.
	fetchTime = 15 * time.Minute
	// maxHops bounds where an address may lead: releases are two away.
	maxHops = 5
)

// outside is the client for what people add from the net. Nothing of ours goes
// with a request, and an https address never leads to a plain one.
var outside = &http.Client{CheckRedirect: func(req *http.Request, via []*http.Request) error {
	switch {
	case len(via) > maxHops:
		return fmt.Errorf("it leads on more than %d times", maxHops)
	case via[0].URL.Scheme == "https" && req.URL.Scheme != "https":
		return errors.New("it leads to an address without https")
	}
	return nil
}}

// openBundle copies a bundle from r and looks at it. want is the sha256 that it
// must have; "" when nobody knows.
func (a *App) openBundle(r io.Reader, want string) (*heldBundle, error) {
	file, err := a.drafts.file()
	if err != nil {
		return nil, &wire.Error{Code: wire.CodeConfigWrite, Message: "The bundle couldn't be kept while it is looked at: " + err.Error(), Hint: "Look at the free space."}
	}
	drop := func(err error) (*heldBundle, error) {
		file.Close()
		os.Remove(file.Name())
		return nil, err
	}
	n, err := io.Copy(file, io.LimitReader(r, mcpb.MaxBundle+1))
	if err != nil {
		return drop(err)
	}
	b, err := mcpb.Open(file, n)
	if want != "" && (err == nil && b.SHA256 != want) {
		err = &wire.Error{Code: wire.CodeBadBundle, Message: fmt.Sprintf("The bundle was refused: its sha256 is %.12s…, and the registry says %.12s….", b.SHA256, want),
			Hint: "It was changed after it was published, or on the way. Tell its authors."}
	}
	if err != nil {
		return drop(err)
	}
	return &heldBundle{Bundle: b, file: file}, nil
}

// bundleFile opens a bundle on this computer.
func (a *App) bundleFile(path string) (*heldBundle, error) {
	f, err := openFile(path, mcpb.MaxBundle)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := a.openBundle(f, "")
	if err != nil && !isWire(err) {
		err = &wire.Error{Code: wire.CodeBadRequest, Message: fmt.Sprintf("%s can't be read: %s.", path, err)}
	}
	return b, err
}

func isWire(err error) bool {
	_, ok := errors.AsType[*wire.Error](err)
	return ok
}

// openFile opens an ordinary file of at most limit bytes.
func openFile(path string, limit int64) (*os.File, error) {
	bad := func(format string, args ...any) error {
		return &wire.Error{Code: wire.CodeBadRequest, Message: fmt.Sprintf(format, args...) + "."}
	}
	if !filepath.IsAbs(path) {
		return nil, bad("the path %.200q isn't a whole one", path)
	}
	f, err := os.Open(path)
	if err != nil {
		if p, ok := errors.AsType[*os.PathError](err); ok {
			err = p.Err
		}
		return nil, bad("%s can't be read: %s", path, err)
	}
	switch info, err := f.Stat(); {
	case err != nil || !info.Mode().IsRegular():
		f.Close()
		return nil, bad("%s is no ordinary file", path)
	case info.Size() > limit:
		f.Close()
		return nil, bad("%s is larger than %d MiB", path, limit>>20)
	}
	return f, nil
}

// fetchBundle downloads one.
func (a *App) fetchBundle(ctx context.Context, address, sha256 string) (*heldBundle, error) {
	wrong := func(format string, args ...any) error {
		return &wire.Error{Code: wire.CodeCatalog, Message: "The bundle can't be fetched: " + fmt.Sprintf(format, args...) + "."}
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && (u.Scheme != "http" || u.Hostname() != "127.0.0.1") {
		return nil, wrong("its address must begin with https://")
	}
	within, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	req, err := http.NewRequestWithContext(within, http.MethodGet, address, nil)
	if err != nil {
		return nil, wrong("its address can't be")
	}
	req.Header.Set("User-Agent", Name)
	resp, err := outside.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if e, ok := errors.AsType[*url.Error](err); ok {
			err = e.Err
		}
		return nil, wrong("%s: %s", u.Host, err)
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode != http.StatusOK:
		return nil, wrong("%s answered %s", u.Host, resp.Status)
	case resp.ContentLength > mcpb.MaxBundle:
		return nil, wrong("it is larger than %d MiB", mcpb.MaxBundle>>20)
	}
	b, err := a.openBundle(resp.Body, sha256)
	switch {
	case err == nil || isWire(err):
		return b, err
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	return nil, wrong("the download broke off: %s", err)
}

// draftOf is what a bundle would run from its place.
func (a *App) draftOf(b *heldBundle, source wire.DraftSource) *draft.Draft {
	d := b.Draft(mcpb.Options{GOOS: runtime.GOOS, Home: a.person, Dir: a.bundles.Place(b.Bundle)})
	source.SHA256, source.Signature = b.SHA256, b.Signature
	d.Source = source
	return d
}

// cleanUp takes away what only a removed server had: its bundle, its secrets.
// What can't be taken away stays and is said in the log.
func (a *App) cleanUp(ctx context.Context, name string, e *wire.Entry) {
	origin := a.origins.remove(name)
	a.dropBundles(ctx, name, e)
	if a.vault == nil {
		return
	}
	for _, secret := range origin.Secrets {
		if a.refersTo(secret) {
			continue // another server uses it, too
		}
		if err := a.vault.Remove(ctx, secret); err != nil {
			a.opts.Log.Warn("secret of a removed server not removed", "server", name, "err", err)
		}
	}
}

// endWait bounds the wait for a server's end before its files are taken away.
const endWait = 20 * time.Second

// dropBundles removes the folders of a former entry that no server uses any more,
// once its process has ended.
func (a *App) dropBundles(ctx context.Context, name string, e *wire.Entry) {
	dirs := a.bundles.OwnedBy(e)
	if len(dirs) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endWait)
	defer cancel()
	for {
		changed := a.news.next()
		st, there := a.status(name)
		_, configured := a.config.Current().Lookup(name)
		if !there || configured || st.PID == 0 {
			break
		}
		select {
		case <-changed:
			continue
		case <-ctx.Done():
		}
		break
	}
	for _, dir := range dirs {
		if a.usesBundle(dir) {
			continue
		}
		if err := a.bundles.Remove(dir); err != nil {
			a.opts.Log.Warn("bundle not removed", "server", name, "err", err)
		}
	}
}

func (a *App) usesBundle(dir string) bool {
	for _, s := range a.config.Current().Servers {
		for _, used := range a.bundles.OwnedBy(&s.Entry) {
			if used == dir {
				return true
			}
		}
	}
	return false
}

// refersTo reports whether a server still names a secret.
func (a *App) refersTo(secret string) bool {
	for _, s := range a.config.Current().Servers {
		for _, value := range s.Entry.Env {
			if strings.Contains(value, "${secret:"+secret+"}") {
				return true
			}
		}
		for _, value := range s.Entry.Args {
			if strings.Contains(value, "${secret:"+secret+"}") {
				return true
			}
		}
	}
	return false
}
