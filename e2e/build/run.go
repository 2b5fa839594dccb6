package build

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// Flags go to every build. Another set would compile all of Kubernetes once
// more. Leaving out the debug information saves an eighth of the time.
var Flags = []string{"-gcflags=all=-dwarf=false", "-buildvcs=false"}

// Program builds one of Curfew's own programs, such as "curfew", and gives its
// path. Flags are further flags for the go command, such as "-race".
func Program(ctx context.Context, module, name string, output io.Writer, flags ...string) (string, error) {
	target := filepath.Join(bin(module), name)
	for _, flag := range flags {
		target += flag
	}
	return target, run(ctx, filepath.Dir(module), output, append(append([]string{"-o", target}, flags...), "./cmd/"+name)...)
}

// Story builds the program that the demo consists of once it has spoken its
// first words, and gives its path.
func Story(ctx context.Context, module string, output io.Writer) (string, error) {
	target := filepath.Join(bin(module), "story")
	return target, run(ctx, module, output, "-o", target, "./cmd/demo/story")
}

// run runs go build in a folder.
func run(ctx context.Context, dir string, output io.Writer, args ...string) error {
	command := exec.CommandContext(ctx, "go", append(append([]string{"build", "-v"}, Flags...), args...)...)
	command.Dir = dir
	// The compiler's memory is short-lived: collect it less often.
	command.Env = append(os.Environ(), "GOGC=400")
	progress := newProgress(output)
	defer progress.stop()
	command.Stderr = progress
	if err := command.Run(); err != nil {
		return fmt.Errorf("building %s: %w\n%s", args[len(args)-1], err, progress.lastLines())
	}
	return nil
}
