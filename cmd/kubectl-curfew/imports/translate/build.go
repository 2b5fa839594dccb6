package translate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"curfew/cmd/kubectl-curfew/manifest"
	"curfew/scaler/annotation"
	"curfew/timewindow"
)

// Annotations are what rules become. Without a zone the rules name their own; replicas below 0 are not said.
func Annotations(rules []string, zone string, replicas int32) map[string]string {
	set := map[string]string{annotation.Windows: strings.Join(rules, "\n")}
	if zone != "" {
		set[annotation.Timezone] = zone
	}
	if replicas >= 0 {
		set[annotation.Replicas] = strconv.Itoa(int(replicas))
	}
	return set
}

// Refuse adds a reason why a translation cannot be made.
func (t *Translation) Refuse(format string, args ...any) {
	t.Unsaid = append(t.Unsaid, fmt.Sprintf(format, args...))
}

// Differ adds a difference, if there is one.
func (t *Translation) Differ(difference string) {
	if difference != "" && !slices.Contains(t.Differences, difference) {
		t.Differences = append(t.Differences, difference)
	}
}

// Finish holds a translation to its promises: half of one is none, and what is set makes sense to Curfew.
func (t *Translation) Finish() {
	if len(t.Set) > 0 && len(t.Unsaid) == 0 {
		if problems := Problems(t.Target, t.Set); len(problems) > 0 {
			t.Refuse("Curfew does not read what it would become: %s. Write the rules by hand.", problems.Summary())
		}
	}
	if len(t.Unsaid) > 0 {
		t.Set, t.Remove, t.Differences = nil, nil, nil
	}
}

// Problems is what of annotations makes no sense to Curfew on a target, of which it scales the kind.
func Problems(target Target, set map[string]string) annotation.Problems {
	if target.GroupKind == Namespace {
		return annotation.ParseNamespace(set)
	}
	if k := KindOf(target.GroupKind); k != nil {
		return Fit(k, set)
	}
	_, problems := annotation.Parse(set, nil)
	return problems
}

// Zone reads the name of a zone; the error is for people.
func Zone(field, name string) (*time.Location, error) {
	zone, err := timewindow.LoadZone(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", field, err)
	}
	return zone, nil
}

// Merge puts translations of one target together where the tool lets several objects speak of one. together makes one
// translation of them.
func Merge(all []Translation, together func(Target, []Translation) Translation) []Translation {
	var merged []Translation
	for i, t := range all {
		same := func(o Translation) bool { return o.Target == t.Target }
		if slices.ContainsFunc(all[:i], same) {
			continue
		}
		var group []Translation
		for _, o := range all[i:] {
			if same(o) {
				group = append(group, o)
			}
		}
		if len(group) > 1 {
			t = together(t.Target, group)
		}
		merged = append(merged, t)
	}
	return merged
}

// Disagree is a translation that says that several objects speak of one target, which is not for an import to decide.
func Disagree(what string) func(Target, []Translation) Translation {
	return func(target Target, group []Translation) Translation {
		t := Translation{Target: target}
		var names []string
		for _, o := range group {
			for _, from := range o.From {
				if !slices.Contains(names, from.Name()) {
					names = append(names, from.Name())
					t.From = append(t.From, from)
				}
			}
			t.Unsaid = append(t.Unsaid, o.Unsaid...)
		}
		t.Refuse("%s %s %s; keep one of them and import again, or write the rules by hand.", Join(names), what, target)
		return t
	}
}

// Others are the Differences of every tool that acts on edges: it is told once, and looks away until the next.
func Others(tool string) string {
	return tool + " acts at its times alone: what somebody scales by hand in between, it leaves. Curfew puts it back; kubectl curfew hold is for exceptions."
}

// Autoscaled is the difference that an autoscaler makes, or "".
func Autoscaled(objects []manifest.Object, t Target) string {
	names := AutoscalersOf(objects, t)
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("The HorizontalPodAutoscaler %s owns the size of %s above 0. Curfew holds it at 0 in a window of 0, and leaves every other size to the autoscaler.", Join(names), t)
}
