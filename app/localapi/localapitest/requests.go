package localapitest

import (
	"context"
	"io"
	"net"

	"bridgekeeper/app/wire"
)

func (f *Fake) Request(_ context.Context, server string, req wire.ServerRequest) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.entries[server]; !ok {
		return nil, &wire.Error{Code: wire.CodeNoSuchServer, Message: "There is no server called \"" + server + "\"."}
	}
	switch req.Method {
	case "resources/list":
		return []byte(`{"resources":[{"uri":"rooms://cedar","name":"Cedar","mimeType":"text/plain","description":"A room.\nBig."}]}`), nil
	case "resources/read":
		return []byte(`{"contents":[{"uri":"rooms://cedar","text":"hello\u001b[2J"},{"blob":"AAAA"}]}`), nil
	case "prompts/list":
		return []byte(`{"prompts":[{"name":"triage","arguments":[{"name":"room","required":true},{"name":"why"}]}]}`), nil
	case "prompts/get":
		return []byte(`{"messages":[{"role":"user","content":{"type":"text","text":"Look at ` + string(req.Params[:1]) + `"}}]}`), nil
	}
	return nil, &wire.Error{Code: wire.CodeBadRequest, Message: "can't be asked here"}
}

func (f *Fake) Trace(ctx context.Context, _ string, send func(wire.TraceLine) error) error {
	for _, l := range []wire.TraceLine{
		{Direction: wire.TraceOut, Bytes: 15, Text: `{"method":"x\u001b"}`},
		{Direction: wire.TraceIn, Bytes: 99999, Text: `{"result":{}}`, Cut: true, Lost: 2},
	} {
		if err := send(l); err != nil {
			return err
		}
	}
	return nil
}

func (f *Fake) Show(_ context.Context, page string) error {
	if page == "nowhere" {
		return &wire.Error{Code: wire.CodeNoWindow, Message: "no window"}
	}
	return nil
}

// Lines echoes each line, as a core without servers never would.
func (f *Fake) Lines(_ context.Context, req wire.Lines) (func(context.Context, net.Conn, io.Reader) error, error) {
	if req.Host == "stranger" {
		return nil, &wire.Error{Code: wire.CodeNoSuchHost, Message: "Bridgekeeper knows no host called \"stranger\".", Hint: "Let it in."}
	}
	return func(_ context.Context, pipe net.Conn, in io.Reader) error {
		defer pipe.Close()
		_, err := io.Copy(pipe, in)
		return err
	}, nil
}
