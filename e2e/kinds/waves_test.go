package kinds_test

import (
	"fmt"
	"testing"
	"time"

	"curfew/e2e/harness"
)

// TestNobodyWaitsForWhatIsOnOrOff: what has no pods of its own takes its turn to wake
// as anything else, and is up when it is written: whoever comes next goes at once.
func TestNobodyWaitsForWhatIsOnOrOff(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"CronJob", "ScaledObject"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, rowOf(kind))
			s.lead("--wake-concurrency=1")
			window := harness.WindowIn(-time.Hour, time.Hour+5*time.Second)
			const waves = 4
			name := func(wave int) string { return fmt.Sprint("in-wave-", wave) }
			for wave := range waves {
				s.create(name(wave), annotations{harness.Windows: window.Rule(s.rule), harness.Wave: fmt.Sprint(wave)})
			}
			for wave := range waves {
				s.awaitSize(name(wave), s.asleep)
			}
			before := window.End
			for wave := range waves {
				s.awaitSize(name(wave), s.awake)
				woken := s.wrote(name(wave), 2)[1].Done
				if woken.Before(before) || woken.Sub(window.End) > 5*time.Second {
					t.Errorf("wave %d wakes %v after its time", wave, woken.Sub(window.End))
				}
				before = woken
			}
		})
	}
}
