package activity

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"bridgekeeper/app/wire"
)

// Export writes the entries that fit, oldest first: as jsonl, one object a line,
// or as csv with a line of names above.
func (l *Log) Export(ctx context.Context, w io.Writer, q wire.ActivityQuery, format string) error {
	out := bufio.NewWriterSize(w, 64<<10)
	var send func(*wire.Activity) error
	switch format {
	case wire.FormatJSONL:
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		send = func(a *wire.Activity) error { return enc.Encode(a) }
	case wire.FormatCSV:
		rows := csv.NewWriter(out)
		if err := rows.Write(columns); err != nil {
			return err
		}
		row := make([]string, len(columns))
		send = func(a *wire.Activity) error {
			fill(row, a)
			if err := rows.Write(row); err != nil {
				return err
			}
			rows.Flush() // into out
			return rows.Error()
		}
		rows.Flush()
	default:
		return &wire.Error{Code: wire.CodeBadRequest, Message: fmt.Sprintf("the format is %.40q: it must be jsonl or csv", format)}
	}
	if _, err := l.Each(ctx, q, send); err != nil {
		return err
	}
	return out.Flush()
}

// columns are a contract: new ones are added at the end.
var columns = []string{"id", "time", "kind", "host", "server", "tool", "session", "decision", "rule", "by",
	"argBytes", "argSum", "outcome", "ended", "bytes", "ms", "text", "args"}

func fill(row []string, a *wire.Activity) {
	ended, bytes, ms := "", "", ""
	if !a.Ended.IsZero() {
		ended, bytes, ms = a.Ended.Format(timeFormat), strconv.Itoa(a.Bytes), strconv.FormatFloat(a.MS, 'f', -1, 64)
	}
	args := ""
	if a.ArgSum != "" {
		args = strconv.Itoa(a.ArgBytes)
	}
	copy(row, []string{a.ID, a.Time.UTC().Format(time.RFC3339Nano), a.Kind, a.Host, a.Server, a.Tool, a.Session, a.Decision, a.Rule, a.By,
		args, a.ArgSum, a.Outcome, ended, bytes, ms, a.Text, string(a.Args)})
	for i := range row {
		row[i] = harmless(row[i])
	}
}

// harmless keeps a cell from being a formula: a spreadsheet would compute what a
// host or server chose as a name.
func harmless(cell string) string {
	if cell != "" {
		switch cell[0] {
		case '=', '+', '-', '@', '\t', '\r':
			return "'" + cell
		}
	}
	return cell
}
