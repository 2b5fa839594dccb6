// Package translatetest compares translations with the tools that they are from, over a year.
//
// What an old tool does is worked out here from its documentation and the cron library it uses, and from nothing that
// the translators use: every time that it acts is written down, and then looked up.
package translatetest

import (
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/robfig/cron/v3"

	"curfew/cmd/kubectl-curfew/imports/translate"
	"curfew/cmd/kubectl-curfew/manifest"
	"curfew/scaler/annotation"
)

// The year that is compared: with both changes of the clocks, north and south.
var yearFrom, yearTo = time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC), time.Date(2027, 1, 12, 0, 0, 0, 0, time.UTC)

// File reads the objects of a file in testdata.
func File(t *testing.T, name string) []manifest.Object {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return Objects(t, string(text))
}

// Objects reads the objects of a text.
func Objects(t *testing.T, text string) []manifest.Object {
	t.Helper()
	objects, errs := manifest.Parse("test.yaml", []byte(text))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return objects
}

// Promises checks what every translation has to keep.
func Promises(t testing.TB, all []translate.Translation) {
	t.Helper()
	seen := map[translate.Target]bool{}
	for _, tr := range all {
		if seen[tr.Target] {
			t.Errorf("%s is there twice", tr.Target)
		}
		seen[tr.Target] = true
		if len(tr.From) == 0 {
			t.Errorf("%s comes from nowhere", tr.Target)
		}
		if (len(tr.Set) > 0) == (len(tr.Unsaid) > 0) {
			t.Errorf("%s sets %q and does not say %q: it has to be one of them", tr.Target, tr.Set, tr.Unsaid)
		}
		if len(tr.Unsaid)*len(tr.Differences) > 0 {
			t.Errorf("%s is not translated, so there is nothing to differ: %q", tr.Target, tr.Differences)
		}
		if len(tr.Set) > 0 {
			if problems := translate.Problems(tr.Target, tr.Set); len(problems) > 0 {
				t.Errorf("%s: %v", tr.Target, problems)
			}
		}
		for _, text := range slices.Concat(tr.Differences, tr.Unsaid) {
			if strings.TrimSpace(text) == "" || !strings.HasSuffix(text, ".") || strings.HasSuffix(text, "..") || strings.Contains(text, "%!") {
				t.Errorf("%s: %q is no sentence", tr.Target, text)
			}
			if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Errorf("%s: %q is not safe to print", tr.Target, text)
			}
		}
	}
}

// Find returns the translation of a target, such as "Deployment ns/name".
func Find(t *testing.T, all []translate.Translation, target string) translate.Translation {
	t.Helper()
	var names []string
	for _, tr := range all {
		if tr.Target.String() == target {
			return tr
		}
		names = append(names, tr.Target.String())
	}
	t.Fatalf("there is no %s, only %q", target, names)
	return translate.Translation{}
}

// Edge is one time of an old tool, in the words of robfig/cron, which may start with CRON_TZ=.
type Edge struct {
	At   string
	Size int32
}

// Fired are the times at which robfig/cron acts in the year and for some weeks before.
func Fired(t *testing.T, at string) []time.Time {
	t.Helper()
	schedule, err := cron.ParseStandard(at)
	if err != nil {
		t.Fatal(err)
	}
	var all []time.Time
	for now := schedule.Next(yearFrom.AddDate(-1, -1, 0)); now.Before(yearTo); now = schedule.Next(now) {
		all = append(all, now)
	}
	return all
}

// Happening is something that an old tool did.
type Happening struct {
	At   time.Time
	Does func()
}

// Old is what an old tool has a size be, and when it may change.
type Old struct {
	At         func(time.Time) int32
	Boundaries []time.Time
}

// Replay does everything in order, and then tells what size there was at an instant; size is asked after each.
func Replay(all []Happening, size func() int32) Old {
	slices.SortStableFunc(all, func(a, b Happening) int { return a.At.Compare(b.At) })
	sizes, boundaries := make([]int32, len(all)), make([]time.Time, len(all))
	for i, h := range all {
		h.Does()
		sizes[i], boundaries[i] = size(), h.At
	}
	return Old{func(t time.Time) int32 {
		i := sort.Search(len(all), func(i int) bool { return all[i].At.After(t) })
		return sizes[i-1]
	}, boundaries}
}

// Edges replays edges of which each lasts until the next.
func Edges(t *testing.T, edges []Edge) Old {
	t.Helper()
	var now int32
	var all []Happening
	for _, e := range edges {
		for _, at := range Fired(t, e.At) {
			all = append(all, Happening{at, func() { now = e.Size }})
		}
	}
	return Replay(all, func() int32 { return now })
}

// Same compares a translation with what was, every quarter of an hour of a year and around every boundary. Where they
// part, the clocks have to have changed just before, and the translation has to say so. normal is the normal size, if
// the translation does not say.
func Same(t *testing.T, tr translate.Translation, was Old, normal int32) {
	t.Helper()
	if len(tr.Unsaid) > 0 {
		t.Fatalf("unsaid: %q", tr.Unsaid)
	}
	set := tr.Set
	spec, problems := annotation.Parse(set, nil)
	if problems != nil {
		t.Fatal(problems)
	}
	if spec.Replicas != nil {
		normal = *spec.Replicas
	}
	var at []time.Time
	for now := yearFrom; now.Before(yearTo); now = now.Add(15 * time.Minute) {
		at = append(at, now)
	}
	around := func(t time.Time) { at = append(at, t.Add(-time.Second), t, t.Add(time.Second)) }
	for now, ok := spec.Schedule.Next(yearFrom); ok && now.Before(yearTo); now, ok = spec.Schedule.Next(now) {
		around(now)
	}
	for _, now := range was.Boundaries {
		if now.After(yearFrom) && now.Before(yearTo) {
			around(now)
		}
	}
	slices.SortFunc(at, time.Time.Compare)

	var parted time.Time // since when
	differ, boundaries := 0, 0
	last := int32(-1)
	for _, now := range at {
		old, is := was.At(now), spec.Schedule.At(now).Size.Of(normal)
		if is != last && last >= 0 {
			boundaries++
		}
		last = is
		switch {
		case old != is && parted.IsZero():
			parted, differ = now, differ+1
		case old == is && !parted.IsZero():
			if !clocksChanged(spec, parted) && !clocksChanged(spec, now) {
				t.Fatalf("they part from %s to %s, when it was %d and is %d, and the clocks do not change; the rules are\n%s",
					parted.In(spec.Zone), now.In(spec.Zone), was.At(parted), spec.Schedule.At(parted).Size.Of(normal), spec.Schedule)
			}
			parted = time.Time{}
		}
	}
	if !parted.IsZero() {
		t.Fatalf("they part for good on %s; the rules are\n%s", parted.In(spec.Zone), spec.Schedule)
	}
	if boundaries == 0 {
		t.Errorf("nothing changes in a year, so this shows nothing")
	}
	says := slices.ContainsFunc(tr.Differences, func(d string) bool { return strings.Contains(d, "spring skips") })
	if differ > 0 && !says {
		t.Errorf("where the clocks change they part %d times, and the differences do not say so: %q", differ, tr.Differences)
	}
	t.Logf("%d boundaries, parted %d times where the clocks change, says so: %t", boundaries, differ, says)
}

// clocksChanged reports whether the clocks of any zone of the rules changed within a day and a half.
func clocksChanged(spec annotation.Spec, now time.Time) bool {
	for _, r := range spec.Schedule.Rules() {
		_, a := now.Add(-36 * time.Hour).In(r.Location()).Zone()
		_, b := now.Add(36 * time.Hour).In(r.Location()).Zone()
		if a != b {
			return true
		}
	}
	return false
}

// Says checks that a list of sentences holds all of some pieces.
func Says(t *testing.T, what string, sentences []string, pieces ...string) {
	t.Helper()
	for _, piece := range pieces {
		if !slices.ContainsFunc(sentences, func(s string) bool { return strings.Contains(s, piece) }) {
			t.Errorf("no %s says %q: %q", what, piece, sentences)
		}
	}
}

// Wrong puts values of wrong types into every field of an object, one after the other, and calls try with each.
func Wrong(t *testing.T, text string, try func([]manifest.Object)) {
	t.Helper()
	values := []any{nil, true, int64(7), 1.5, "", "x", []any{}, []any{nil, "x", int64(1)}, map[string]any{}, map[string]any{"x": nil}}
	var walk func(content any, set func(any))
	objects := Objects(t, text)
	walk = func(content any, set func(any)) {
		for _, v := range values {
			set(v)
			try(objects)
		}
		set(content)
		switch content := content.(type) {
		case map[string]any:
			for key, inner := range content {
				walk(inner, func(v any) { content[key] = v })
			}
		case []any:
			for i, inner := range content {
				walk(inner, func(v any) { content[i] = v })
			}
		}
	}
	for _, o := range objects {
		for key, inner := range o.Object {
			if key != "kind" && key != "apiVersion" {
				walk(inner, func(v any) { o.Object[key] = v })
			}
		}
	}
}
