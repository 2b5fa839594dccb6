package bench

import (
	"context"
	"fmt"

	"curfew/e2e/harness"
)

// scrape is what a Curfew's /metrics says.
func scrape(ctx context.Context, curfew *harness.Curfew) (map[string]float64, error) {
	text, err := curfew.Metrics(ctx)
	if err != nil {
		return nil, err
	}
	return harness.Series(text)
}

// value is one series that must be there.
func value(series map[string]float64, name string) (float64, error) {
	v, ok := series[name]
	if !ok {
		return 0, fmt.Errorf("/metrics has no %s", name)
	}
	return v, nil
}
