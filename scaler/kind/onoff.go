package kind

import (
	"fmt"

	"k8s.io/utils/ptr"

	"curfew/scaler/annotation"
	"curfew/timewindow"
)

// onOff is what kinds have in common whose objects run or do not, so that their size is 1 or 0.
type onOff struct {
	a   string // the kind with its article
	off string // what 0 does to it
}

// Fit refuses sizes other than 0 and normal. What a Namespace asks for above 0 is meant for those that have so many
// replicas: for one that has none it is normal, lest a rule starts what its owner has switched off.
func (k onOff) Fit(spec *annotation.Spec, own func(key string) bool) annotation.Problems {
	problem := k.a + " is on or off"
	problems := spec.RefuseSizes(own, func(size timewindow.Size) (string, string) {
		if size.IsNormal() || size.Of(on) == off {
			return "", ""
		}
		return problem, fmt.Sprintf("write 0, which %s it, or normal", k.off)
	})
	spec.Resize(func(size timewindow.Size) timewindow.Size {
		if size.Of(on) == off {
			return timewindow.Replicas(off)
		}
		return timewindow.Normal
	})
	if own(annotation.Replicas) {
		problems = append(problems, refusal(annotation.Replicas, problem, "remove the annotation"))
	}
	spec.Replicas, spec.Ceiling = nil, nil
	if spec.Remembered != nil && *spec.Remembered > on { // Curfew has not written that
		spec.Remembered = ptr.To[int32](on)
	}
	return problems
}

// The sizes there are.
const (
	off = 0
	on  = 1
)

// running is what an object has besides its size, if that is on or off: nobody has to wait for it to come up.
func (o *Object) running(is bool) {
	o.Size, o.Available, o.Seen = off, on, o.Generation
	if is {
		o.Size = on
	}
}
