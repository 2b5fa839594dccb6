package build

import (
	"fmt"
	"io"
	"os"
	"syscall"
)

// lock keeps two test binaries from building the same thing side by side.
func lock(name string, output io.Writer) (unlock func(), err error) {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	descriptor := int(file.Fd())
	if syscall.Flock(descriptor, syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		fmt.Fprintln(output, "Waiting for another process that is building the control plane.")
		if err := syscall.Flock(descriptor, syscall.LOCK_EX); err != nil {
			file.Close()
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return func() { file.Close() }, nil
}
