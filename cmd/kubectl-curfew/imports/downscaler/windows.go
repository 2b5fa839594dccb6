package downscaler

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"curfew/scaler/annotation"
	"curfew/timewindow"
)

// windows are the rules that mean the same.
type windows struct {
	text, zone string               // the annotations; zone is "" where no rule needs one
	schedule   *timewindow.Schedule // nil if opted out
	notes      []string
	unsaid     []string
}

// windowsOf is a meaning as rules. There must be one.
func windowsOf(tool Tool, m meaning, now time.Time) windows {
	if m.excluded {
		return windows{text: annotation.OptOut}
	}
	var w windows
	size := strconv.Itoa(m.floor)
	rules := append(rulesOf(m.forceUp, "normal"), rulesOf(m.forceDown, size)...)
	forced := len(rules) > 0
	switch m.mode {
	case times:
		rules = append(rules, rulesOf(m.down, size)...)
		if !m.up.always() {
			rules = append(rules, rulesOf(m.up, "normal")...)
			rules = append(rules, rule{"always", "", size})
		}
	case periods, unset:
		if forced && !m.forceUp.always() && !m.forceDown.always() {
			w.unsaid = append(w.unsaid, fmt.Sprintf("when %s or %s end, %s leaves the workload at that size until a period begins; no rule says that", forceUptime, forceDowntime, tool))
			return w
		}
		own, down, err := periodRules(m, size)
		switch {
		case err != nil && !forced:
			w.unsaid = append(w.unsaid, err.Error())
			return w
		case !down && !forced:
			w.notes = append(w.notes, fmt.Sprintf("by these periods %s never scales down: there is no rule but normal", tool))
		case !forced:
			w.notes = append(w.notes, fmt.Sprintf("between the periods %s leaves the workload at the size that the last one gave it, or that somebody has given it since; "+
				"by Curfew's rules it is down from one to the other, and a size that is changed by hand meanwhile is put back", tool))
		}
		rules = append(rules, own...)
	}
	if m.forceUp.always() || m.forceDown.always() {
		key, rest := forceDowntime, m
		if m.forceUp.always() {
			key = forceUptime
		}
		rest.forceUp, rest.forceDown = nil, nil
		if rest.mode != unset {
			if without := windowsOf(tool, rest, now); len(without.unsaid) == 0 {
				w.notes = append(w.notes, fmt.Sprintf("%s holds for good, so the rule does; without it they would be %q", key, without.list()))
			}
		}
	}
	rules = needed(rules)
	w.write(rules)
	if w.schedule == nil {
		return w
	}
	for _, r := range rules {
		if r.size == size && m.floor > 0 {
			w.notes = append(w.notes, fmt.Sprintf("a workload of fewer than %[1]s is left alone by %[2]s; Curfew's rule is a size, and scales one of 0 up to %[1]s", size, tool))
			break
		}
	}
	w.notes = append(w.notes, clockChanges(tool, m, w.schedule, now)...)
	return w
}

// needed is the rules without those that can never win, or change nothing. One is left.
func needed(rules []rule) []rule {
	for i, r := range rules {
		if r.when == "always" {
			rules = rules[:i+1]
			break
		}
	}
	for len(rules) > 0 && rules[len(rules)-1].size == "normal" {
		rules = rules[:len(rules)-1]
	}
	if len(rules) == 0 {
		// Without any rule it would have those of its Namespace.
		return []rule{{"always", "", "normal"}}
	}
	return rules
}

// write puts rules into annotations.
func (w *windows) write(rules []rule) {
	for _, r := range rules {
		// Other zones stand in their rules. Of UTC there are dates that nobody thinks of as such.
		if r.zone != "" && (w.zone == "" || w.zone == "UTC") {
			w.zone = r.zone
		}
	}
	lines := make([]string, len(rules))
	for i, r := range rules {
		if r.zone == w.zone {
			r.zone = ""
		}
		lines[i] = r.String()
	}
	zone := time.UTC
	var err error
	if w.zone != "" {
		if zone, err = timewindow.LoadZone(w.zone); err != nil {
			w.unsaid = append(w.unsaid, err.Error())
			return
		}
	}
	if w.schedule, err = timewindow.Parse(strings.Join(lines, "\n"), zone); err != nil {
		w.schedule = nil
		w.unsaid = append(w.unsaid, fmt.Sprintf("its rules make no annotation: %v", err))
		return
	}
	w.text = strings.TrimSpace(w.schedule.String())
	if len(rules) > 1 {
		w.text += "\n"
	}
}

// list is the rules on one line.
func (w windows) list() string { return strings.ReplaceAll(strings.TrimSpace(w.text), "\n", "; ") }

// set puts the annotations into a map.
func (w windows) set(annotations map[string]string) {
	annotations[annotation.Windows] = w.text
	if w.zone != "" {
		annotations[annotation.Timezone] = w.zone
	}
}
