package bench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"curfew/e2e/harness"
)

// profiling is the flag with which Curfew serves profiles beside its metrics. It
// costs nothing while nobody asks for one.
const profiling = "--profiling"

// offersProfiles tells whether a program has that flag.
func offersProfiles(ctx context.Context, program string) (bool, error) {
	help, err := exec.CommandContext(ctx, program, "--help").CombinedOutput()
	return strings.Contains(string(help), profiling), err
}

// profile records the CPU profile of a Curfew for so long, beside everything
// else, and then its heap. The function that it returns waits for both.
func (s *stage) profile(ctx context.Context, curfew *harness.Curfew, name string, long time.Duration) func() error {
	if s.Profiles == "" || !s.profiles {
		return func() error { return nil }
	}
	done := make(chan error, 1)
	go func() {
		err := s.save(ctx, curfew, name+"-cpu", fmt.Sprintf("profile?seconds=%d", int(long.Seconds())+1))
		if err == nil {
			err = s.save(ctx, curfew, name+"-allocs", "allocs")
		}
		if err == nil {
			err = s.save(ctx, curfew, name+"-heap", "heap?gc=1")
		}
		done <- err
	}()
	return func() error { return <-done }
}

func (s *stage) save(ctx context.Context, curfew *harness.Curfew, name, path string) error {
	profile, err := curfew.Profile(ctx, path)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.Profiles, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.Profiles, fmt.Sprintf("%s-%d.pprof", name, s.objects)), []byte(profile), 0o644)
}
