package downscaler

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"curfew/cmd/kubectl-curfew/imports/translate"
	"curfew/scaler/annotation"
	"curfew/scaler/kind"
	"curfew/timewindow"
)

// The oracle is the old tools as their documentation has them, written without a look at the translator: it scales a
// workload as they would, look by look.

// workload is one under an old tool.
type workload struct {
	replicas  int
	original  int // downscaler/original-replicas; 0 if there is none
	own, over map[string]string
	flags     Options
	suspends  bool // it is a CronJob, whose size is 1 or 0
}

// inSpan: "Mon-Fri 07:30-20:30 Europe/Berlin", "always", "A-B" and so on; true if t is in one of them.
func inSpan(t time.Time, text string, wraps bool, flags Options) bool {
	for _, part := range strings.Split(text, ",") {
		part = strings.TrimSpace(part)
		switch low := strings.ToLower(part); {
		case low == "always" || low == "true":
			return true
		case low == "never" || low == "false":
			continue
		case strings.HasPrefix(low, "until "):
			if t.Before(instant(part[6:])) {
				return true
			}
			continue
		case strings.HasPrefix(low, "from "):
			if !t.Before(instant(part[5:])) {
				return true
			}
			continue
		case strings.Contains(part, "T") && part[0] == '2':
			part = strings.ReplaceAll(part, " ", "")
			half := strings.LastIndex(part, "-20") // the dash before the second year
			if tail := part[half+1:]; len(tail) < len("2006-01-02T15:04:05Z") {
				half = strings.LastIndex(part[:half], "-20")
			}
			from, to := instant(part[:half]), instant(part[half+1:])
			// kube-downscaler counts the very end as well: one moment without length, which no look need ever meet.
			if !t.Before(from) && t.Before(to) {
				return true
			}
			continue
		}
		words := strings.Fields(part)
		if !strings.Contains(words[0], ":") {
			words = append([]string{words[0]}, words[1:]...)
		} else {
			words = append([]string{flags.Weekdays}, words...)
		}
		if len(words) == 2 {
			words = append(words, flags.Timezone)
		}
		local := t.In(place(words[2]))
		number := map[string]int{"Mon": 1, "Tue": 2, "Wed": 3, "Thu": 4, "Fri": 5, "Sat": 6, "Sun": 7}
		first, last, today := number[words[0][:3]], number[words[0][4:]], number[local.Format("Mon")]
		onDay := first <= today && today <= last
		if first > last {
			onDay = today >= first || today <= last
		}
		// Texts of the same length compare as the times do.
		from, to, shown := words[1][:5], words[1][6:], local.Format("15:04")
		onTime := from <= shown && shown < to
		if from > to && wraps {
			onTime = from <= shown || shown < to
		}
		if onDay && onTime {
			return true
		}
	}
	return false
}

var loaded sync.Map // loading one takes longer than all the rest

func place(name string) *time.Location {
	if zone, ok := loaded.Load(name); ok {
		return zone.(*time.Location)
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	loaded.Store(name, zone)
	return zone
}

func instant(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return t
}

// get is the workload's own annotation, else its Namespace's, else the given one.
func (w *workload) get(key, otherwise string) string {
	for _, scope := range []map[string]string{w.own, w.over} {
		if text, ok := scope["downscaler/"+key]; ok {
			return text
		}
	}
	return otherwise
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// lookPython is one look of kube-downscaler at a workload that is long past its grace period.
func (w *workload) lookPython(t time.Time) {
	in := func(text string) bool { return inSpan(t, text, false, w.flags) }
	excluded := false
	for _, scope := range []map[string]string{w.own, w.over} {
		if text, ok := scope["downscaler/exclude"]; ok && strings.ToLower(text) != "false" {
			excluded = true
		}
		if text, ok := scope["downscaler/exclude-until"]; ok {
			for _, layout := range []string{"2006-01-02T15:04:05Z", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02"} {
				if until, err := time.Parse(layout, text); err == nil && t.Before(until) {
					excluded = true
				}
			}
		}
	}
	if excluded && w.original == 0 {
		return
	}
	forced := func(key string) bool {
		text := w.over["downscaler/"+key]
		return text != "" && in(text)
	}
	floor, _ := strconv.Atoi(w.get("downtime-replicas", strconv.Itoa(w.flags.Replicas)))
	up, ignore := true, false
	rise, fall := w.get("upscale-period", or(w.flags.UpscalePeriod, "never")), w.get("downscale-period", or(w.flags.DownscalePeriod, "never"))
	switch {
	case forced("force-uptime") || excluded:
	case forced("force-downtime"):
		up = false
	case rise != "never" || fall != "never":
		up, ignore = in(rise), in(rise) == in(fall)
	default:
		up = in(w.get("uptime", or(w.flags.Uptime, "always"))) && !in(w.get("downtime", or(w.flags.Downtime, "never")))
	}
	switch {
	case ignore:
	case up && w.replicas == floor && w.original > 0:
		w.replicas, w.original = w.original, 0
	case !up && w.replicas > floor:
		w.replicas, w.original = floor, w.replicas
	}
}

// lookGo is one look of GoKubeDownscaler.
func (w *workload) lookGo(t time.Time) {
	in := func(text string) bool { return text != "" && inSpan(t, text, true, w.flags) }
	flags := map[string]string{}
	for key, text := range map[string]string{"uptime": w.flags.Uptime, "downtime": w.flags.Downtime, "upscale-period": w.flags.UpscalePeriod, "downscale-period": w.flags.DownscalePeriod} {
		if text != "" {
			flags["downscaler/"+key] = text
		}
	}
	scopes := []map[string]string{w.own, w.over, flags}
	// The first scope that has one of the keys gives the values of all of them.
	group := func(keys ...string) map[string]string {
		for _, scope := range scopes {
			values := map[string]string{}
			for _, key := range keys {
				if text, ok := scope["downscaler/"+key]; ok {
					values[key] = text
				}
			}
			if len(values) > 0 {
				return values
			}
		}
		return nil
	}
	if in(group("exclude")["exclude"]) {
		return
	}
	for _, scope := range scopes {
		if text, ok := scope["downscaler/exclude-until"]; ok && t.Before(instant(text)) {
			return
		}
	}
	floor, _ := strconv.Atoi(or(group("downscale-replicas")["downscale-replicas"], strconv.Itoa(w.flags.Replicas)))
	if w.suspends {
		floor = 0
	}
	scale := func(up bool) {
		switch {
		case up && w.original > 0:
			w.replicas, w.original = w.original, 0
		case !up && w.replicas > floor:
			w.replicas, w.original = floor, w.replicas
		}
	}
	force := group("force-uptime", "force-downtime")
	if up, down := in(force["force-uptime"]), in(force["force-downtime"]); up || down {
		if up != down {
			scale(up)
		}
		return
	}
	values := group("uptime", "downtime", "upscale-period", "downscale-period")
	if text, ok := values["downtime"]; ok {
		scale(!in(text))
		return
	}
	if text, ok := values["uptime"]; ok {
		scale(in(text))
		return
	}
	if up, down := in(values["upscale-period"]), in(values["downscale-period"]); up != down {
		scale(up)
	}
}

// under is one under Curfew.
type under struct {
	spec   annotation.Spec
	normal int32
}

func (u under) size(t time.Time) int {
	for _, o := range u.spec.Overrides {
		if t.Before(o.Until) {
			return int(o.Size.Of(u.normal))
		}
	}
	if u.spec.Schedule == nil {
		return int(u.normal)
	}
	return int(u.spec.Schedule.At(t).Size.Of(u.normal))
}

// TestSameOverAYear: everything in testdata that is translated has the size that the old tool gives it, at every
// quarter of an hour of a year and a bit, at every change of the rules and the seconds around it, and at every minute of
// the days around the changes of clocks. Where it has not, a difference says so.
func TestSameOverAYear(t *testing.T) {
	for name, c := range cases {
		if strings.HasPrefix(name, "auto") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.o.Now = now
			translated := map[translate.Target]translate.Translation{}
			objects := read(t, c.file)
			watched := []*kind.Kind{kind.Deployment} // by the controller, as it is to be told then
			for _, tr := range New(c.o)(objects) {
				translated[tr.Target] = tr
				watched = append(watched, tr.Kinds...)
				if k := translate.KindOf(tr.Target.GroupKind); k != nil && len(tr.Set) > 0 {
					watched = append(watched, k)
				}
			}
			namespaces := map[string]translate.Target{}
			for _, o := range objects {
				if s := subjectOf(o); s.isNamespace() {
					namespaces[o.GetName()] = s.target()
				}
			}
			checked := 0
			for _, o := range objects {
				s := subjectOf(o)
				own, over := translated[s.target()], translate.Translation{}
				old := map[string]string{}
				if target, ok := namespaces[o.GetNamespace()]; ok {
					over = translated[target]
					for _, o := range objects {
						if n := subjectOf(o); n.target() == target {
							old = n.annotations
						}
					}
				}
				k := s.kind()
				if k == nil || !slices.Contains(watched, k) || !k.Inherits && len(own.Set) == 0 || // so the old tool may have been told nothing of it
					len(own.Unsaid) > 0 || slices.Contains(leftAlone, o.GetNamespace()) || s.has("curfew/windows") {
					continue
				}
				checked++
				if slices.ContainsFunc(own.Differences, func(d string) bool { return strings.Contains(d, "wake it before you stop that") }) {
					continue // which is for somebody to do first
				}
				reaches := over.Set
				if !k.Inherits {
					reaches = nil
				}
				spec, problems := annotation.ParseIn(reaches, own.Set, time.UTC)
				said := func(key string) bool { _, ok := own.Set[key]; return ok }
				if problems = append(problems, k.Fit(&spec, said)...); len(problems) > 0 {
					t.Errorf("%s: %v", o, problems)
					continue
				}
				u := under{spec, int32(s.size())}
				if spec.Replicas != nil {
					u.normal = *spec.Replicas
				}
				w := &workload{replicas: s.size(), own: s.annotations, over: old, flags: c.o, suspends: k == kind.CronJob}
				w.original, _ = strconv.Atoi(s.annotations["downscaler/original-replicas"])
				differences := slices.Concat(own.Differences, over.Differences)
				t.Run(o.GetNamespace()+"/"+o.GetName(), func(t *testing.T) { year(t, w, u, differences) })
			}
			if checked < 3 {
				t.Errorf("only %d were checked", checked)
			}
		})
	}
}

func year(t *testing.T, w *workload, u under, differences []string) {
	look := w.lookPython
	if w.flags.Tool == Go {
		look = w.lookGo
	}
	counts := func(text string) bool {
		return slices.ContainsFunc(differences, func(d string) bool { return strings.Contains(d, text) })
	}
	// Between periods the tool knows not where it stands until it has been through some; it gets two weeks.
	start := now
	if counts("between the periods") {
		start = now.Add(-lead)
	}
	var apart []time.Time
	for _, at := range instants(start, u.spec.Schedule) {
		look(at)
		if at.Before(now) || w.replicas == u.size(at) {
			continue
		}
		apart = append(apart, at)
	}
	switch clocks := counts("by what the clock shows"); {
	case len(apart) > 0 && !clocks:
		t.Errorf("%d times they differ, first at %s, and no difference says so: %q", len(apart), apart[0].Format(time.RFC3339), differences)
	case len(apart) == 0 && clocks:
		t.Errorf("a difference is told that there is not: %q", differences)
	}
	for _, at := range apart {
		if !changing(at) {
			t.Errorf("they differ at %s, when no clock changes", at.Format(time.RFC3339))
			return
		}
	}
}

// places are the zones of the manifests whose clocks change.
var places = []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Europe/London"}

// changing reports whether some clock has been changed lately. The small hours of one such day may pass before a
// period sets right what a skipped one has missed.
func changing(t time.Time) bool {
	for _, name := range places {
		_, offset := t.In(place(name)).Zone()
		if _, before := t.Add(-25 * time.Hour).In(place(name)).Zone(); offset != before {
			return true
		}
	}
	return false
}

// lead is how long before now a tool is watched that has periods.
const lead = 14 * 24 * time.Hour

// usual are the instants to look at whatever the rules are, from lead before now.
var usual = sync.OnceValue(func() []int64 {
	var all []int64
	for at := now.Add(-lead); at.Before(now.AddDate(1, 1, 0)); at = at.Add(15 * time.Minute) {
		all = append(all, at.Unix())
		for minute := 1; minute < 15 && changing(at.Add(24*time.Hour)); minute++ {
			all = append(all, at.Add(time.Duration(minute)*time.Minute).Unix())
		}
	}
	return all
})

// instants are those to look at, in their order.
func instants(start time.Time, schedule *timewindow.Schedule) []time.Time {
	seconds := slices.Clone(usual())
	if schedule != nil {
		end := now.AddDate(1, 1, 0)
		for at, ok := schedule.Next(start); ok && at.Before(end); at, ok = schedule.Next(at) {
			seconds = append(seconds, at.Unix()-1, at.Unix(), at.Unix()+1)
		}
	}
	slices.Sort(seconds)
	var all []time.Time
	for _, second := range slices.Compact(seconds) {
		if at := time.Unix(second, 0).UTC(); !at.Before(start) {
			all = append(all, at)
		}
	}
	return all
}
