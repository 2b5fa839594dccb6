package build

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ClockVariable is the environment variable that names the file with the seconds
// by which the wall clock of a FakedClock program is ahead.
const ClockVariable = "CURFEW_FAKED_CLOCK"

//go:embed clock_overlay.txt
var clockOverlay []byte

// FakedClock builds a program of Curfew's whose wall clock can be set while it
// runs, and returns its path. Programs in Go ask the kernel without the C library
// that faketime could stand in for, so time.Now itself is another: go build's
// -overlay gives the standard library one that adds what a file says. Timers and
// the monotonic clock are the real ones, and so is everything else.
func FakedClock(ctx context.Context, module, name string, output io.Writer) (string, error) {
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	library := filepath.Join(strings.TrimSpace(string(root)), "src", "time")
	text, err := os.ReadFile(filepath.Join(library, "time.go"))
	if err != nil {
		return "", err
	}
	const asked = "func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n"
	if bytes.Count(text, []byte(asked)) != 1 {
		return "", fmt.Errorf("time.Now of this Go release is not as expected: see %s", library)
	}
	text = bytes.Replace(text, []byte(asked), []byte(asked+"\tsec += ahead()\n"), 1)

	dir := filepath.Join(module, ".state", "clock")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	files := map[string][]byte{"time.go": text, "ahead.go": clockOverlay}
	replace := map[string]string{}
	for file, text := range files {
		replace[filepath.Join(library, file)] = filepath.Join(dir, file)
		if err := os.WriteFile(filepath.Join(dir, file), text, 0o644); err != nil {
			return "", err
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o644); err != nil {
		return "", err
	}
	fmt.Fprintln(output, "Building Curfew with a clock that can be set; the first time that is two minutes.")
	target := filepath.Join(bin(module), name+"-faked-clock")
	return target, run(ctx, filepath.Dir(module), output, "-overlay", list, "-o", target, "./cmd/"+name)
}
