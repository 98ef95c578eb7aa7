package hostcfg

import (
	"fmt"

	"bridgekeeper/app/hostcfg/known"
	"bridgekeeper/app/hostcfg/read"
)

// unreadable says why a host would refuse its own file, or part of it that counts
// for all.
func unreadable(h *known.Host, f *read.File) (why []string) {
	if h.Format == known.JSON && f.Lenient != "" {
		why = append(why, f.Lenient)
	}
	if h.Strict.BOM && f.Encoding == read.UTF8BOM {
		why = append(why, "it begins with a byte order mark")
	}
	if f.Encoding != read.UTF8 && f.Encoding != read.UTF8BOM {
		why = append(why, "it is "+string(f.Encoding))
	}
	if !h.Strict.Text {
		return why
	}
	for _, raw := range read.Servers(f, h) {
		m, ok := raw.Value.(*read.Map)
		if !ok {
			why = append(why, fmt.Sprintf("%.80q is no object", raw.Name))
			continue
		}
		if bad := notText(m); bad != "" {
			why = append(why, fmt.Sprintf("%s of %.80q must be text", bad, raw.Name))
		}
	}
	return why
}

// notText names the first part of an entry that is not of the kind it should be.
func notText(m *read.Map) string {
	if v, there := m.Get("command"); there {
		if _, ok := v.(string); !ok {
			return "command"
		}
	}
	if v, there := m.Get("args"); there {
		list, ok := v.([]any)
		if !ok {
			return "args"
		}
		for _, one := range list {
			if _, ok := one.(string); !ok {
				return "args"
			}
		}
	}
	if v, there := m.Get("env"); there {
		env, ok := v.(*read.Map)
		if !ok {
			return "env"
		}
		for _, one := range env.Members {
			if _, ok := one.Value.(string); !ok {
				return fmt.Sprintf("env %.80s", one.Key)
			}
		}
	}
	return ""
}
