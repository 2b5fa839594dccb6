package cluster

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// newStateDir is a new folder for one cluster. Its name holds this process's
// id, so that what a killed process left behind can be told and cleared away.
func newStateDir(module string) (string, error) {
	parent := filepath.Join(module, ".state", "clusters")
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return "", err
	}
	entries, err := os.ReadDir(parent)
	if err != nil {
		return "", err
	}
	for _, entry := range entries {
		owner, _, _ := strings.Cut(entry.Name(), "-")
		pid, err := strconv.Atoi(owner)
		if err == nil && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			_ = os.RemoveAll(filepath.Join(parent, entry.Name()))
		}
	}
	return os.MkdirTemp(parent, fmt.Sprintf("%d-", os.Getpid()))
}
