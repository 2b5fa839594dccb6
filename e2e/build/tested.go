package build

import (
	"context"
	"fmt"
	"os"
	"time"
)

// Tested builds the curfew that tests run. CURFEW_RACE=1 does it with the race
// detector, which needs a C compiler. Flags are those of go build.
func Tested(flags ...string) (string, error) {
	module, err := Module()
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	if os.Getenv("CURFEW_RACE") != "" {
		flags = append(flags, "-race")
	}
	path, err := Program(ctx, module, "curfew", os.Stderr, flags...)
	if err != nil {
		return "", fmt.Errorf("curfew %v: %w", flags, err)
	}
	return path, nil
}
