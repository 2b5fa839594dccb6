package timewindow

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Limits on the numbers in a size. They are far above any real workload, so what lies beyond them is a slip of the hand.
const (
	MaxReplicas = 1_000_000 // the largest absolute size, in replicas
	MaxPercent  = 1_000     // the largest relative size, in percent of normal
)

type sizeKind uint8

const (
	sizeNormal sizeKind = iota
	sizeReplicas
	sizePercent
)

// Size is what a rule asks for: a number of replicas, a share of the normal size, or the normal size itself.
// Sizes are comparable with ==. The zero value is [Normal].
type Size struct {
	kind sizeKind
	n    int32
}

// Normal is the size of a workload when no window holds.
var Normal = Size{}

// Replicas is the size of n replicas.
func Replicas(n int32) Size { return Size{sizeReplicas, n} }

// Percent is the size of n percent of normal, rounded up to whole replicas.
func Percent(n int32) Size { return Size{sizePercent, n} }

// IsNormal reports whether the size is the normal one.
func (s Size) IsNormal() bool { return s.kind == sizeNormal }

// Of returns the size in replicas of a workload whose normal size is normal, in replicas.
func (s Size) Of(normal int32) int32 {
	switch s.kind {
	case sizeReplicas:
		return s.n
	case sizePercent:
		up := (int64(normal)*int64(s.n) + 99) / 100
		return int32(min(up, math.MaxInt32))
	default:
		return normal
	}
}

// String writes the size as a rule does: "3", "50%" or "normal".
func (s Size) String() string {
	switch s.kind {
	case sizeReplicas:
		return strconv.Itoa(int(s.n))
	case sizePercent:
		return strconv.Itoa(int(s.n)) + "%"
	default:
		return "normal"
	}
}

// ParseSize reads a size as a rule writes it. An error is a [Faults] of one, with columns counted from the start of text.
func ParseSize(text string) (Size, error) {
	s, f := parseSize(text)
	if f != nil {
		return Size{}, Faults{f.in(text, 1)}
	}
	return s, nil
}

// parseSize is ParseSize with a fault whose place is still a byte offset in text.
func parseSize(text string) (Size, *fault) {
	from := len(text) - len(strings.TrimLeft(text, blanks))
	word := strings.Trim(text, blanks)
	bad := func(problem, hint string) (Size, *fault) { return Size{}, &fault{from, word, problem, hint} }

	const example = "write a number of replicas, a share such as 50%, or normal"
	if word == "" {
		return bad("the size is missing", example)
	}
	if strings.EqualFold(word, "normal") {
		return Normal, nil
	}
	digits := leadingDigits(word)
	rest := strings.Join(strings.Fields(strings.ToLower(word[len(digits):])), " ")
	switch {
	case digits == "" && strings.HasPrefix(word, "-") && leadingDigits(word[1:]) != "":
		return bad("a size is never negative", "the smallest is 0")
	case digits == "":
		return bad("this is not a size"+NotPlain(word), example)
	case rest != "" && rest != "%" && rest != "% of normal":
		return bad("this is not a size"+NotPlain(word), example)
	}
	limit, unit := int64(MaxReplicas), "replicas"
	if rest != "" {
		limit, unit = MaxPercent, "percent"
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n > limit {
		return bad("this size is too large", fmt.Sprintf("the largest is %d %s", limit, unit))
	}
	if rest != "" {
		return Percent(int32(n)), nil
	}
	return Replicas(int32(n)), nil
}

func leadingDigits(s string) string {
	i := 0
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	return s[:i]
}
