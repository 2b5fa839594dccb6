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
	sizeRange
)

// Size is what a rule asks for: a number of replicas, a share of the normal size, a range, or the normal size itself.
// Sizes are comparable with ==. The zero value is [Normal].
type Size struct {
	kind sizeKind
	n    int32
	high int32 // of a range
}

// Normal is the size of a workload when no window holds.
var Normal = Size{}

// Replicas is the size of n replicas.
func Replicas(n int32) Size { return Size{kind: sizeReplicas, n: n} }

// Percent is the size of n percent of normal, rounded up to whole replicas.
func Percent(n int32) Size { return Size{kind: sizePercent, n: n} }

// Range is the size from low to high replicas, of what has both a minimum and a maximum.
func Range(low, high int32) Size { return Size{sizeRange, low, high} }

// IsNormal reports whether the size is the normal one.
func (s Size) IsNormal() bool { return s.kind == sizeNormal }

// High returns the upper end of a range. It reports false for every other size.
func (s Size) High() (int32, bool) { return s.high, s.kind == sizeRange }

// Of returns the size in replicas of a workload whose normal size is normal, in replicas: of a range the lower end.
func (s Size) Of(normal int32) int32 {
	switch s.kind {
	case sizeReplicas, sizeRange:
		return s.n
	case sizePercent:
		up := (int64(normal)*int64(s.n) + 99) / 100
		return int32(min(up, math.MaxInt32))
	default:
		return normal
	}
}

// String writes the size as a rule does: "3", "50%", "3..10" or "normal".
func (s Size) String() string {
	switch s.kind {
	case sizeRange:
		return strconv.Itoa(int(s.n)) + ".." + strconv.Itoa(int(s.high))
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
	}
	limit, unit := int64(MaxReplicas), "replicas"
	high, ranged := strings.CutPrefix(rest, "..")
	switch {
	case ranged, rest == "":
	case rest == "%" || rest == "% of normal":
		limit, unit = MaxPercent, "percent"
	case isSpan(rest):
		return bad("this is not a size", "write a range with two dots, such as 3..10")
	default:
		return bad("this is not a size"+NotPlain(word), example)
	}
	high = strings.TrimLeft(high, " ")
	if ranged && (high == "" || leadingDigits(high) != high) {
		return bad("this is not a size"+NotPlain(word), "a range has a number of replicas at both ends, such as 3..10")
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	most := n
	if ranged && err == nil {
		most, err = strconv.ParseInt(high, 10, 64)
	}
	switch {
	case err != nil || n > limit || most > limit:
		return bad("this size is too large", fmt.Sprintf("the largest is %d %s", limit, unit))
	case n > most:
		return bad("this range ends below its start", fmt.Sprintf("write %d..%d", most, n))
	case ranged:
		return Range(int32(n), int32(most)), nil
	case unit == "percent":
		return Percent(int32(n)), nil
	}
	return Replicas(int32(n)), nil
}

// isSpan reports whether what follows a number makes it a range with a hyphen.
func isSpan(rest string) bool {
	high, ok := strings.CutPrefix(rest, "-")
	high = strings.TrimLeft(high, " ")
	return ok && high != "" && leadingDigits(high) == high
}

func leadingDigits(s string) string {
	i := 0
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	return s[:i]
}
