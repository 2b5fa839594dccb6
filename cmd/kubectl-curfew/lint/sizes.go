package lint

import (
	"fmt"
	"strings"

	"curfew/cmd/kubectl-curfew/live"
	"curfew/cmd/kubectl-curfew/manifest"
	"curfew/scaler/annotation"
	"curfew/scaler/kind"
	"curfew/timewindow"
)

// sizesIn are the sizes that a manifest says beside its rules, wherever its kind has them.
func sizesIn(o manifest.Object, is *kind.Object) []Finding {
	var all []Finding
	for _, field := range is.Kind.Fields() {
		path := make([]string, len(field))
		for i, name := range field {
			path[i] = strings.TrimPrefix(name, "f:")
		}
		value, there := valueAt(o, path)
		if !there {
			continue
		}
		f := newFinding(o, replicasInManifest, "")
		f.Message = fmt.Sprintf("%s: %s argues with Curfew at each apply, for the rules say the size", path[len(path)-1], manifest.Printable(fmt.Sprint(value)))
		if path[0] == "spec" {
			f.Message = "spec." + f.Message
		}
		f.Hint = "leave it out, and give the normal size in " + annotation.Replicas
		switch {
		case live.IsSwitch(is.Kind) && is.Size == 0:
			f.Message = strings.Replace(f.Message, "argues with Curfew at each apply, for the rules say the size", "keeps it off, for no window wakes what its owner has switched off", 1)
			f.Hint = "leave it out, if the rules are to say when it is off"
		case live.IsSwitch(is.Kind):
			f.Hint = "leave it out"
		}
		all = append(all, f.on(o.Key(path...)))
	}
	return all
}

// valueAt is what an object has in a field, which is not null.
func valueAt(o manifest.Object, path []string) (any, bool) {
	above := mapping(o, path[:len(path)-1]...)
	value, ok := above[path[len(path)-1]]
	return value, ok && value != nil
}

// clamped are the rules of an autoscaler that ask for more than its maximum, which is the most that they get.
func clamped(o manifest.Object, is *kind.Object, spec annotation.Spec) []Finding {
	if is.Ceiling == nil || is.Ceiling.Max <= 0 {
		return nil
	}
	var all []Finding
	text := o.Value("metadata", "annotations", annotation.Windows)
	for _, r := range rulesOf(spec) {
		size := r.Size()
		if _, ranged := size.High(); ranged || size.IsNormal() || size.Of(0) <= is.Ceiling.Max {
			continue
		}
		f := newFinding(o, aboveMaximum, annotation.Windows)
		f.Message = fmt.Sprintf("a minimum of %s is above spec.maxReplicas, which is %d, and is held at that", size, is.Ceiling.Max)
		f.Hint = fmt.Sprintf("write a range that says the maximum too, such as %[1]s..%[1]s", size)
		all = append(all, f.at(text, timewindow.Fault{Line: r.Line(), Column: r.Column(), Text: r.Text()}))
	}
	return all
}
