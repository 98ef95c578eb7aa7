package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// listen serves handler on a free loopback port, tells the address on stdout and
// ends with stdin. Its path /allocs tells how many objects were allocated so far.
func listen(handler http.Handler) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", handler)
	mux.HandleFunc("/allocs", func(w http.ResponseWriter, _ *http.Request) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		fmt.Fprint(w, m.Mallocs)
	})
	srv := &http.Server{Handler: mux}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	fmt.Printf("http://%s/mcp\n", l.Addr())
	_, err = io.Copy(io.Discard, os.Stdin)
	srv.Close()
	<-served
	return err
}

// echoHTTP is the other floor: net/http and nothing else.
func echoHTTP() error {
	return listen(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := make([]byte, max(r.ContentLength, 0))
		if _, err := io.ReadFull(r.Body, body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.Write(body)
	}))
}

// sdkBridge is what one builds in an hour: the SDK's client in front of the
// child, its server in front of the hosts, typed values in between.
func sdkBridge() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	ctx := context.Background()
	client := mcp.NewClient(&mcp.Implementation{Name: "bridge", Version: "1"}, nil)
	child, err := client.Connect(ctx, &mcp.CommandTransport{Command: exec.Command(self, "echo-stdio")},
		&mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		return fmt.Errorf("connect the child: %w", err)
	}
	defer child.Close()
	list, err := child.ListTools(ctx, nil)
	if err != nil {
		return fmt.Errorf("list the child's tools: %w", err)
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "bridge", Version: "1"}, nil)
	for _, tool := range list.Tools {
		name := tool.Name
		tool.Name = "echo__" + name
		server.AddTool(tool, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return child.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: req.Params.Arguments})
		})
	}
	return listen(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{JSONResponse: true}))
}
