package harness

import (
	"fmt"
	"strconv"
	"strings"
)

// Series is what /metrics says, by series: `curfew_workloads{state="window"}`.
func Series(text string) (map[string]float64, error) {
	series := map[string]float64{}
	for line := range strings.Lines(text) {
		end := strings.LastIndexByte(line, ' ')
		if end <= 0 || line[0] == '#' {
			continue
		}
		value, err := strconv.ParseFloat(strings.TrimSpace(line[end:]), 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", line, err)
		}
		series[line[:end]] = value
	}
	return series, nil
}
