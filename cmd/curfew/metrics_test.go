package main

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"curfew/timewindow"
)

func TestInfo(t *testing.T) {
	registry := newRegistry()
	want := `
# HELP curfew_info 1, with the version of Curfew and that of the zone data compiled into it.
# TYPE curfew_info gauge
curfew_info{tzdata="` + timewindow.ZoneDataVersion + `",version="v0.0.0-dev"} 1
`
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want)); err != nil {
		t.Error(err)
	}
	problems, err := testutil.GatherAndLint(registry)
	if err != nil || len(problems) > 0 {
		t.Error(err, problems)
	}
}
