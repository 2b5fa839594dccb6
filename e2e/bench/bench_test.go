package bench_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"curfew/e2e/bench"
)

// TestBench is the whole bench, small: every part measures what it should, and
// Curfew does nothing wrong.
func TestBench(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a cluster")
	}
	if _, err := os.Stat("/proc/self/clear_refs"); err != nil {
		t.Skip("reads a process's memory from Linux's /proc")
	}
	file := filepath.Join(t.TempDir(), "result.json")
	var table, progress bytes.Buffer
	command := bench.NewCommand()
	command.SetOut(&table)
	command.SetErr(&progress)
	command.SetArgs([]string{
		"--objects=50", "--quick", "--rounds=1", "--out=" + file,
		// Or else the killed leader is waited for.
		"--curfew-flags=--leader-elect-lease-duration=2s --leader-elect-renew-deadline=1500ms --leader-elect-retry-period=500ms",
	})
	if err := command.ExecuteContext(t.Context()); err != nil {
		t.Fatalf("%v\n%s\n%s", err, &table, &progress)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var result bench.Result
	if err := json.Unmarshal(text, &result); err != nil {
		t.Fatal(err)
	}
	found := map[string]bench.Figure{}
	for _, figure := range result.Figures {
		found[figure.Name] = figure
		if !strings.Contains(table.String(), "| "+figure.Name+" ") {
			t.Errorf("the table lacks %q", figure.Name)
		}
	}
	for _, name := range []string{
		"At of a three-rule schedule", "Next of a three-rule schedule",
		"start, objects new: every object has its status",
		"memory idle: RSS",
		"idle: requests a minute",
		"one object: delay, p99",
		"one plain list of the objects", "restart, objects right: all looked at",
		"boundary: delay of the last write", "boundary: writes a second", "boundary: writes a second, bare client", "boundary: rate against the bare client",
		"leader killed: everything right",
	} {
		if figure, ok := found[name]; !ok || figure.Value <= 0 {
			t.Errorf("%q is %v, which cannot be", name, figure.Value)
		}
	}
	if t.Failed() {
		t.Logf("%s\n%s", &table, &progress)
	}
}
