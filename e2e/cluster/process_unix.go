//go:build unix && !linux

package cluster

import "syscall"

// ChildAttributes are for a child process. They keep a Ctrl-C in the terminal
// from reaching it before we have finished with it.
func ChildAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
