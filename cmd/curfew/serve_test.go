package main

import (
	"context"
	"strings"
	"testing"
)

// TestProfilesAreForThisHost: whoever can reach a profile can read what is in the memory.
func TestProfilesAreForThisHost(t *testing.T) {
	for name, c := range map[string]struct {
		address string
		refused bool
	}{
		"loopback":        {"127.0.0.1:0", false},
		"every interface": {"0.0.0.0:0", true},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			o := newOptions()
			o.metrics, o.metricsSecure, o.profiling = c.address, false, true
			err := serveMetrics(ctx, o, nil, metrics(newRegistry()))
			if refused := err != nil && strings.Contains(err.Error(), "--profiling"); refused != c.refused {
				t.Error(err)
			}
		})
	}
}
