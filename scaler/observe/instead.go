package observe

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"curfew/scaler/annotation"
	"curfew/scaler/kind"
)

// LeftTo is an object as a decision is to see it, given those whose target it is: where one that is scaled in its stead
// is asked for anything, be it by their Namespace, the object itself is unfit for it. With both, the one would undo what
// the other does.
func LeftTo(o *kind.Object, scalers []*kind.Object, namespace map[string]string, now time.Time) *kind.Object {
	asked := slices.DeleteFunc(slices.Clone(scalers), func(by *kind.Object) bool {
		return !by.Kind.Instead || !asks(by, namespace, now)
	})
	if len(asked) == 0 || o.Unfit != "" {
		return o
	}
	by := slices.MinFunc(asked, func(x, y *kind.Object) int { return cmp.Compare(x.Name, y.Name) })
	left := *o
	left.Unfit = fmt.Sprintf("the %s %s scales this %s and has rules or an override; say it there", by.Kind.Name, by.Name, o.Kind.Name)
	return &left
}

// asks reports whether rules or an override ask anything of an object.
func asks(o *kind.Object, namespace map[string]string, now time.Time) bool {
	rules, own := o.Annotations[annotation.Windows]
	if own && !annotation.IsOptOut(rules) || overridden(o.Annotations, now) {
		return true
	}
	if own || !o.Kind.Inherits || o.Unfit != "" { // then it inherits nothing
		return false
	}
	rules, inherited := namespace[annotation.Windows]
	return inherited && !annotation.IsOptOut(rules) || overridden(namespace, now)
}

func overridden(annotations map[string]string, now time.Time) bool {
	text, there := annotations[annotation.OverrideKey]
	if !there {
		return false
	}
	o, err := annotation.ParseOverride(text)
	return err == nil && now.Before(o.Until)
}
