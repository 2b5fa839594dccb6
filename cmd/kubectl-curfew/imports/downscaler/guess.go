package downscaler

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"curfew/cmd/kubectl-curfew/imports/translate"
	"curfew/cmd/kubectl-curfew/manifest"
	"curfew/scaler/annotation"
)

// guess reads the annotations as the tool does that they betray. Where they betray neither, or both, it takes what both
// tools mean, and asks where these differ.
func guess(objects []manifest.Object, o Options) []translate.Translation {
	hints := map[Tool]string{}
	if o.Timezone != "" || o.Weekdays != "" {
		hints[Go] = "--default-timezone or --default-weekframe"
	}
	for _, object := range objects {
		s := subjectOf(object)
		for tool, hint := range s.hints(o) {
			if hints[tool] == "" {
				hints[tool] = fmt.Sprintf("%s on %s", hint, object.Name())
			}
		}
	}
	python, golang := translateAs(Python, objects, o), translateAs(Go, objects, o)
	var all []translate.Translation
	for i := range python { // both have the same targets
		switch {
		case len(hints) == 1 && hints[Python] != "":
			all = append(all, betrayed(python[i], golang[i], Python, Go, hints[Python]))
		case len(hints) == 1:
			all = append(all, betrayed(golang[i], python[i], Go, Python, hints[Go]))
		default:
			all = append(all, both(python[i], golang[i]))
		}
	}
	return all
}

// hints are the marks of one tool or the other in the annotations of an object.
func (s subject) hints(o Options) map[Tool]string {
	hints := map[Tool]string{}
	if s.has(downtimeReplicas) {
		hints[Python] = downtimeReplicas
	}
	if s.has(uptime) && s.has(downtime) {
		hints[Python] = uptime + " beside " + downtime
	}
	for _, key := range []string{downscaleReplicas, gracePeriod, scaleChildren, upscaleExcluded} {
		if s.has(key) {
			hints[Go] = key
		}
	}
	if s.isDeployment() && s.has(forceUptime, forceDowntime) {
		hints[Go] = "force-… on a workload"
	}
	for _, key := range []string{uptime, downtime, upscalePeriod, downscalePeriod} {
		text, ok := s.annotations[key]
		if !ok {
			continue
		}
		_, python := parseSpans(Python, text, o)
		_, golang := parseSpans(Go, text, o)
		switch {
		case python == nil && golang != nil:
			hints[Python] = "the text of " + key
		case golang == nil && python != nil:
			hints[Go] = "the text of " + key
		}
	}
	return hints
}

// betrayed is a translation for the tool that it was, which says so where the other one would have been another.
func betrayed(is, other translate.Translation, tool, not Tool, hint string) translate.Translation {
	if len(is.Unsaid) > 0 || maps.Equal(is.Set, other.Set) && len(other.Unsaid) == 0 {
		return is
	}
	is.Differences = append(is.Differences, fmt.Sprintf("it is read as %s does, by %s; if it was %s, say --tool=%s", tool, hint, not, string(not)))
	return is
}

// both is a translation that is right for both tools, or none.
func both(python, golang translate.Translation) translate.Translation {
	switch {
	case len(python.Unsaid) > 0 && len(golang.Unsaid) > 0:
		for _, text := range golang.Unsaid {
			if !slices.Contains(python.Unsaid, text) && !slices.Contains(python.Unsaid, strings.ReplaceAll(text, Go.String(), Python.String())) {
				python.Unsaid = append(python.Unsaid, text)
			}
		}
		return python
	case len(python.Unsaid) > 0 || len(golang.Unsaid) > 0 || !maps.Equal(python.Set, golang.Set):
		python.Unsaid = []string{fmt.Sprintf("%s would have it as %s, %s as %s; say which of them it was with --tool=python or --tool=go", Python, outcome(python), Go, outcome(golang))}
		python.Set, python.Remove, python.Differences = nil, nil, nil
		return python
	}
	var differences []string
	for _, text := range python.Differences {
		common := strings.ReplaceAll(text, Python.String(), Auto.String())
		if slices.Contains(golang.Differences, strings.ReplaceAll(text, Python.String(), Go.String())) {
			text = common
		}
		differences = append(differences, text)
	}
	for _, text := range golang.Differences {
		if !slices.Contains(python.Differences, strings.ReplaceAll(text, Go.String(), Python.String())) {
			differences = append(differences, text)
		}
	}
	python.Differences = differences
	return python
}

// outcome is a translation in a few words.
func outcome(t translate.Translation) string {
	if len(t.Unsaid) > 0 {
		return "nothing that can be said (" + strings.Join(t.Unsaid, "; ") + ")"
	}
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(t.Set)) {
		text := strings.ReplaceAll(strings.TrimSpace(t.Set[key]), "\n", "; ")
		if key == annotation.Windows {
			parts = append([]string{fmt.Sprintf("%q", text)}, parts...)
			continue
		}
		parts = append(parts, fmt.Sprintf("%s: %s", key, text))
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, " and ")
}
