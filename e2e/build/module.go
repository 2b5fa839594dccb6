package build

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// Module is the folder of the module curfew/e2e, looked for in the working
// directory, above it, and in an e2e folder on the way.
func Module() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		for _, candidate := range []string{dir, filepath.Join(dir, "e2e")} {
			text, err := os.ReadFile(filepath.Join(candidate, "go.mod"))
			if err == nil && bytes.HasPrefix(text, []byte("module curfew/e2e\n")) {
				return candidate, nil
			}
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("%s is not inside the source tree of Curfew", start)
		}
	}
}

// bin is where the programs go.
func bin(module string) string { return filepath.Join(module, ".state", "bin") }

func exist(names ...string) bool {
	for _, name := range names {
		if _, err := os.Stat(name); err != nil {
			return false
		}
	}
	return true
}
