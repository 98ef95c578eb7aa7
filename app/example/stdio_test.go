package example

import (
	"context"
	"os"
	"os/exec"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// runAs makes the test binary an example server, so that Run is tested over
// real pipes.
const runAs = "BRIDGEKEEPER_EXAMPLE"

func TestMain(m *testing.M) {
	if name := os.Getenv(runAs); name != "" {
		if err := Run(context.Background(), name); err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestRunEndsWithStdin(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Names {
		cmd := exec.CommandContext(t.Context(), exe)
		cmd.Env = append(os.Environ(), runAs+"="+name)
		client := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil)
		s, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, &mcp.ClientSessionOptions{ProtocolVersion: legacyEra})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.InitializeResult().ServerInfo.Name; got != name {
			t.Errorf("server is %q, want %q", got, name)
		}
		if err := s.Close(); err != nil {
			t.Errorf("%s: close: %v", name, err)
		}
		if code := cmd.ProcessState.ExitCode(); code != 0 {
			t.Errorf("%s ended with code %d after its stdin was closed", name, code)
		}
	}
}
