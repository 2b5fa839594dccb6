package bench

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"curfew/e2e/build"
)

// measureWindow runs the benchmarks of package timewindow, which ask a schedule
// of three rules about several moments, and takes the worst.
func measureWindow(ctx context.Context, o *Options, result *Result) error {
	module, err := build.Module()
	if err != nil {
		return err
	}
	arguments := append(append([]string{"test"}, build.Flags...), "-run=^$", "-bench=^Benchmark(At|Next)$", "-benchmem")
	if o.Quick {
		arguments = append(arguments, "-benchtime=10ms")
	}
	command := exec.CommandContext(ctx, "go", append(arguments, "./timewindow")...)
	command.Dir = filepath.Dir(module)
	output, err := command.CombinedOutput()
	if err != nil {
		return fmt.Errorf("the benchmarks of timewindow: %w\n%s", err, output)
	}
	at, next := worst(output, "BenchmarkAt/"), worst(output, "BenchmarkNext/")
	if len(at) == 0 || len(next) == 0 {
		return fmt.Errorf("the benchmarks of timewindow say nothing of At and Next:\n%s", output)
	}
	result.figure(0, "At of a three-rule schedule", at["ns/op"], "ns", "").atMost(300)
	result.figure(0, "At of a three-rule schedule: allocations", at["allocs/op"], "", "").atMost(0)
	result.figure(0, "Next of a three-rule schedule", next["ns/op"], "ns", "").atMost(2000)
	result.figure(0, "Next of a three-rule schedule: allocations", next["allocs/op"], "", "").atMost(0)
	return nil
}

// worst are the largest values, by unit, of the benchmarks whose name begins like that.
func worst(output []byte, prefix string) map[string]float64 {
	found := map[string]float64{}
	for line := range bytes.Lines(output) {
		if !bytes.HasPrefix(line, []byte(prefix)) {
			continue
		}
		fields := strings.Fields(string(line)) // name, iterations, then value and unit
		for i := 2; i+1 < len(fields); i += 2 {
			if value, err := strconv.ParseFloat(fields[i], 64); err == nil {
				found[fields[i+1]] = max(found[fields[i+1]], value)
			}
		}
	}
	return found
}
