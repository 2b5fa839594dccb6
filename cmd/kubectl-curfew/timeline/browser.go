package timeline

import (
	"context"
	"fmt"
	"os/exec"
)

// opener is the command that opens an address in the browser of whoever is at the machine.
func opener(system, address string) []string {
	switch system {
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler", address}
	case "darwin":
		return []string{"open", address}
	}
	return []string{"xdg-open", address}
}

// open starts a browser. It does not wait for it: some come back only when they are closed.
func open(ctx context.Context, system, address string) error {
	command := opener(system, address)
	c := exec.CommandContext(context.WithoutCancel(ctx), command[0], command[1:]...)
	if err := c.Start(); err != nil {
		return fmt.Errorf("cannot open a browser: %w; open the address yourself, or leave this out with --open=false", err)
	}
	go func() { _ = c.Wait() }()
	return nil
}
