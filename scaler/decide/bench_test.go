package decide

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"curfew/scaler/annotation"
	"curfew/timewindow"
)

// hostile are annotations made to cost as much as any that are understood: five hundred rules that are years away, beside
// one that turns each minute between sizes that come to the same.
func hostile() map[string]string {
	var rules strings.Builder
	rules.WriteString("cron(*/2 * * * *) for 1m = 50%\ncron(1-59/2 * * * *) for 1m = 1\n")
	for i := range timewindow.MaxRules - 2 {
		fmt.Fprintf(&rules, "cron(%d %d 29 2 *) for 1s = %d%%\n", i%60, i/60, i%2)
	}
	return map[string]string{annotation.Windows: rules.String(), annotation.Replicas: "2"}
}

// BenchmarkHostile is the most that a look at one workload costs, once its annotations are read.
func BenchmarkHostile(b *testing.B) {
	for name, more := range map[string]map[string]string{
		"rules": nil, "lead": {annotation.Lead: "24h"}, "spread": {annotation.Spread: "24h"},
	} {
		b.Run(name, func(b *testing.B) {
			all := hostile()
			for key, text := range more {
				all[key] = text
			}
			spec, problems := annotation.Parse(all, nil)
			if len(problems) > 0 {
				b.Fatal(problems)
			}
			now := time.Date(2097, 11, 30, 0, 0, 3, 0, time.UTC)
			for b.Loop() {
				Decide(Workload{Size: 1, Spec: spec, Status: annotation.Status{Size: ptr.To[int32](1)}}, now)
			}
		})
	}
}

// BenchmarkRead is the most that it costs to read them.
func BenchmarkRead(b *testing.B) {
	all := hostile()
	mistakes := map[string]string{annotation.Windows: strings.Repeat("always Europa/Berlin_Mitte = 0\n", timewindow.MaxRules)}
	for name, annotations := range map[string]map[string]string{"rules": all, "mistakes": mistakes} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, _ = annotation.Parse(annotations, nil)
			}
		})
	}
}
