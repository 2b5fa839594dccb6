package cluster

import "syscall"

// ChildAttributes are for a child process. They keep a Ctrl-C in the terminal
// from reaching it before we have finished with it, and let the kernel end it
// when we are killed ourselves.
func ChildAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
