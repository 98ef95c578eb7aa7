package shipped

import "os"

// terminate kills: Windows has no signal that a process without a console
// could be sent. The job object then ends the servers.
func terminate(p *os.Process) error { return p.Kill() }
