package bench

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of the times in /proc: USER_HZ, which is 100 wherever Linux runs Go.
const tick = 10 * time.Millisecond

// cpuTime is what a process has used of the processors so far.
func cpuTime(pid int) (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The name, in brackets, may hold anything; utime and stime are 14th and 15th.
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0, fmt.Errorf("/proc/%d/stat: %q", pid, text)
	}
	var ticks int64
	for _, field := range fields[11:13] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, err
		}
		ticks += n
	}
	return time.Duration(ticks) * tick, nil
}

// resident is the resident set of a process now, and the largest since forgetPeak, in bytes.
func resident(pid int) (now, peak float64, err error) {
	path := fmt.Sprintf("/proc/%d/status", pid)
	for name, value := range map[string]*float64{"VmRSS": &now, "VmHWM": &peak} {
		if _, err := fmt.Sscan(field(path, name), value); err != nil {
			return 0, 0, fmt.Errorf("%s: %s: %w", path, name, err)
		}
		*value *= 1024
	}
	return now, peak, nil
}

// forgetPeak makes the kernel measure the peak anew.
func forgetPeak(pid int) error {
	return os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0)
}
