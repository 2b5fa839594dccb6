package live

import (
	"fmt"

	"curfew/scaler/decide"
	"curfew/scaler/kind"
)

// IsSwitch reports whether objects of a kind are on or off, so that their size is 1 or 0.
func IsSwitch(k *kind.Kind) bool { return !k.Counted && k.Bounded() == nil }

// Size is a size of a kind in a word: 3, of what has a maximum as well 3..10, and of what is on or off that.
func Size(k *kind.Kind, size, most int32) string {
	switch {
	case IsSwitch(k) && size == 0:
		return "suspended"
	case IsSwitch(k):
		return "running"
	case most > 0:
		return fmt.Sprintf("%d..%d", size, most)
	}
	return fmt.Sprint(size)
}

// SizeInWords is a size of a kind in a sentence.
func SizeInWords(k *kind.Kind, size, most int32) string {
	text := Size(k, size, most)
	switch {
	case IsSwitch(k):
		return text
	case size == 1 && most == 0:
		return text + " replica"
	}
	return text + " replicas"
}

// MaxOf is the maximum that a workload has; 0 where there is none.
func MaxOf(w decide.Workload) int32 {
	if w.Ceiling == nil {
		return 0
	}
	return w.Ceiling.Max
}
