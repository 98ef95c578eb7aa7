package elicit

import "os/exec"

// detach has nothing to do: rundll32 hands the page to the browser and ends.
func detach(*exec.Cmd) {}
