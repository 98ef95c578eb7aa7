package home

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func env(pairs ...string) func(string) string {
	return func(key string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == key {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		name, goos string
		env        func(string) string
		want       Dirs
	}{
		{"linux", "linux", env("HOME", "/home/ann"), Dirs{
			Config: "/home/ann/.config/bridgekeeper", State: "/home/ann/.local/state/bridgekeeper",
			Logs: "/home/ann/.local/state/bridgekeeper/logs", Data: "/home/ann/.local/share/bridgekeeper",
			ConfigFile: "/home/ann/.config/bridgekeeper/bridgekeeper.json",
			Socket:     "/home/ann/.local/state/bridgekeeper/core.sock",
		}},
		{"linux, XDG", "linux", env("HOME", "/home/ann", "XDG_CONFIG_HOME", "/c", "XDG_STATE_HOME", "/s", "XDG_DATA_HOME", "relative"), Dirs{
			Config: "/c/bridgekeeper", State: "/s/bridgekeeper", Logs: "/s/bridgekeeper/logs",
			Data:       "/home/ann/.local/share/bridgekeeper",
			ConfigFile: "/c/bridgekeeper/bridgekeeper.json", Socket: "/s/bridgekeeper/core.sock",
		}},
		{"darwin", "darwin", env("HOME", "/Users/ann", "XDG_CONFIG_HOME", "/c"), Dirs{
			Config: "/Users/ann/Library/Application Support/Bridgekeeper",
			State:  "/Users/ann/Library/Application Support/Bridgekeeper/state",
			Logs:   "/Users/ann/Library/Logs/Bridgekeeper",
			Data:   "/Users/ann/Library/Application Support/Bridgekeeper/data",

			ConfigFile: "/Users/ann/Library/Application Support/Bridgekeeper/bridgekeeper.json",
			Socket:     "/Users/ann/Library/Application Support/Bridgekeeper/state/core.sock",
		}},
		{"windows", "windows", env("APPDATA", `C:\Users\ann\AppData\Roaming`, "USERPROFILE", `C:\Users\ann`), Dirs{
			Config: `C:\Users\ann\AppData\Roaming\Bridgekeeper`, State: `C:\Users\ann\AppData\Local\Bridgekeeper\state`,
			Logs: `C:\Users\ann\AppData\Local\Bridgekeeper\logs`, Data: `C:\Users\ann\AppData\Local\Bridgekeeper\data`,
			ConfigFile: `C:\Users\ann\AppData\Roaming\Bridgekeeper\bridgekeeper.json`,
			Socket:     `C:\Users\ann\AppData\Local\Bridgekeeper\state\core.sock`,
		}},
		{"moved", "linux", env("HOME", "/home/ann", Env, "/tmp/x/"), Dirs{
			Config: "/tmp/x", State: "/tmp/x/state", Logs: "/tmp/x/logs", Data: "/tmp/x/data",
			ConfigFile: "/tmp/x/bridgekeeper.json", Socket: "/tmp/x/state/core.sock",
		}},
		{"moved on windows", "windows", env(Env, `D:/portable`), Dirs{
			Config: `D:\portable`, State: `D:\portable\state`, Logs: `D:\portable\logs`, Data: `D:\portable\data`,
			ConfigFile: `D:\portable\bridgekeeper.json`, Socket: `D:\portable\state\core.sock`,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Find(c.goos, c.env)
			if err != nil {
				t.Fatal(err)
			}
			s := system{goos: c.goos}
			c.want.Lock = s.join(c.want.State, "core.lock")
			c.want.TrayLock, c.want.ServeLog = s.join(c.want.State, "tray.lock"), s.join(c.want.Logs, "serve.log")
			c.want.Hosts = s.join(c.want.State, "hosts.json")
			c.want.Port = s.join(c.want.State, "port")
			c.want.Activity = s.join(c.want.Logs, "activity")
			if got != c.want {
				t.Errorf("got\n%+v\nwant\n%+v", got, c.want)
			}
		})
	}
}

func TestFindRefuses(t *testing.T) {
	for name, getenv := range map[string]func(string) string{
		"no home":       env(),
		"relative home": env(Env, "here"),
	} {
		for _, goos := range []string{"linux", "darwin", "windows"} {
			if d, err := Find(goos, getenv); err == nil {
				t.Errorf("%s on %s: got %+v, want an error", name, goos, d)
			}
		}
	}
}

func TestLongHomeGetsAShortSocket(t *testing.T) {
	long := "/home/" + strings.Repeat("a", 120)
	for _, c := range []struct {
		goos, run, prefix string
		limit             int
	}{
		{"linux", "/run/user/1000", "/run/user/1000/bridgekeeper-", 108},
		{"linux", "", "/tmp/bridgekeeper-", 108},
		{"darwin", "", "/tmp/bridgekeeper-", 104},
		{"linux", long, "/tmp/bridgekeeper-", 108},
	} {
		one, err := Find(c.goos, env(Env, long+"/1", "XDG_RUNTIME_DIR", c.run))
		if err != nil {
			t.Fatal(err)
		}
		two, err := Find(c.goos, env(Env, long+"/2", "XDG_RUNTIME_DIR", c.run))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(one.Socket, c.prefix) || len(one.Socket) >= c.limit {
			t.Errorf("%s: socket %s (%d bytes)", c.goos, one.Socket, len(one.Socket))
		}
		if one.Socket == two.Socket {
			t.Errorf("two homes share the socket %s", one.Socket)
		}
	}
	// The last path that fits, to the byte: 104 counts the zero at the end.
	fits := "/" + strings.Repeat("b", 103-len("/")-len("/state/core.sock"))
	d, err := Find("darwin", env(Env, fits))
	if err != nil || !strings.HasPrefix(d.Socket, fits) || len(d.Socket) != 103 {
		t.Errorf("socket %s (%d bytes), %v", d.Socket, len(d.Socket), err)
	}
	d, err = Find("darwin", env(Env, fits+"b"))
	if err != nil || strings.HasPrefix(d.Socket, fits) {
		t.Errorf("socket %s (%d bytes), %v", d.Socket, len(d.Socket), err)
	}
}

func TestMake(t *testing.T) {
	d, err := Find("linux", env(Env, filepath.Join(t.TempDir(), "x")))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Make(); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{d.Config, d.State, d.Logs, d.Data} {
		info, err := os.Stat(dir)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != 0o700 {
			t.Errorf("%s has mode %o", dir, got)
		}
	}
}
