package bench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Machine is where and with what it was measured.
type Machine struct {
	CPU       string    `json:"cpu"`
	Cores     int       `json:"cores"`
	MemoryMiB int       `json:"memoryMiB"`
	Kernel    string    `json:"kernel"`
	Go        string    `json:"go"`
	Commit    string    `json:"commit"`
	Time      time.Time `json:"time"`
}

// thisMachine finds out what it can; what it cannot stays empty.
func thisMachine(ctx context.Context) Machine {
	m := Machine{Cores: runtime.NumCPU(), Go: runtime.Version(), Time: time.Now().UTC().Truncate(time.Second)}
	m.CPU = field("/proc/cpuinfo", "model name")
	var kibibytes int
	if _, err := fmt.Sscan(field("/proc/meminfo", "MemTotal"), &kibibytes); err == nil {
		m.MemoryMiB = kibibytes / 1024
	}
	var name unix.Utsname
	if unix.Uname(&name) == nil {
		m.Kernel = unix.ByteSliceToString(name.Sysname[:]) + " " + unix.ByteSliceToString(name.Release[:])
	}
	if commit, err := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty", "--abbrev=12").Output(); err == nil {
		m.Commit = strings.TrimSpace(string(commit))
	}
	return m
}

// String is the machine on one line.
func (m Machine) String() string {
	return fmt.Sprintf("%s, %d cores, %d MiB, %s, %s, commit %s, %s", m.CPU, m.Cores, m.MemoryMiB, m.Kernel, m.Go, m.Commit, m.Time.Format(time.RFC3339))
}

// field is the first value of that name in a file of lines like "name : value".
func field(path, name string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if key, value, _ := strings.Cut(line, ":"); strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
