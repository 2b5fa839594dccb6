package decide

import (
	"strconv"

	"curfew/scaler/annotation"
)

// Change is what has to be written so that a workload is as decided. The zero Change is nothing.
type Change struct {
	Size        *int32             // the size to write, in replicas; nil: leave it
	Max         *int32             // the maximum to write; nil: leave it, or there is none
	Annotations map[string]*string // a nil value removes the key
}

// Empty reports whether there is nothing to write.
func (c Change) Empty() bool { return !c.Resizes() && len(c.Annotations) == 0 }

// Resizes reports whether there is a size to write, or a maximum.
func (c Change) Resizes() bool { return c.Size != nil || c.Max != nil }

// Change returns the difference between a workload of the given size and annotations and the decision.
func (d Decision) Change(size int32, annotations map[string]string) Change {
	c := Change{Max: d.Max}
	if d.Size != nil && *d.Size != size {
		c.Size = d.Size
	}
	c.annotate(annotations, annotation.StatusKey, d.Status.String())
	if !d.illegible {
		memory := ""
		if d.Remembered != nil {
			memory = sizes(*d.Remembered, d.RememberedMax)
		}
		c.annotate(annotations, annotation.Remembered, memory)
		if memory == "" {
			c.annotate(annotations, annotation.RememberedPause, "")
		}
	}
	return c
}

// sizes writes a size, or a range where there is a maximum too.
func sizes(size int32, most *int32) string {
	text := strconv.Itoa(int(size))
	if most != nil {
		text += ".." + strconv.Itoa(int(*most))
	}
	return text
}

// annotate adds what it takes to make the annotation read want; "" is to have none.
func (c *Change) annotate(annotations map[string]string, key, want string) {
	have, there := annotations[key]
	if there == (want != "") && have == want {
		return
	}
	if c.Annotations == nil {
		c.Annotations = map[string]*string{}
	}
	c.Annotations[key] = nil
	if want != "" {
		c.Annotations[key] = &want
	}
}
