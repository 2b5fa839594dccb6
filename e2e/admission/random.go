package admission

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"curfew/scaler/annotation"
	"curfew/timewindow"
)

// Random makes up a text for an annotation, as oddly written as the grammar allows.
// Mostly Curfew understands it, but it may be a mistake too.
func Random(r *rand.Rand, key string) string {
	w := writer{r}
	switch key {
	case annotation.Windows:
		return w.rules()
	case annotation.Timezone:
		return w.space() + w.zone() + w.space()
	case annotation.Replicas:
		return w.space() + w.oneOf(w.number(1_000_000), w.number(1_000_000)+".."+w.number(1_000_000)) + w.space()
	case annotation.HPA:
		return w.oneOf("floor", "floor", " floor", "Floor", "ceiling", "")
	case annotation.OverrideKey:
		return w.blank() + w.size() + w.oneOf(" ", "\n", "\t ", "  ") + w.odd("until") + w.oneOf(" ", "\n", " \u00a0 ") + w.time() + w.space()
	case annotation.Wave:
		return w.space() + w.number(1000) + w.space()
	case annotation.Lead, annotation.Spread:
		return w.space() + w.oneOf("", "", "+", "-") + w.oneOf("0", "15m", "1h30m", "24h", "24h1s", "1.5m", "86400s", "1e3s", "1500ms", "00012h", "100000m", w.duration()) + w.space()
	case annotation.Paused:
		return w.oneOf("true", "false", "True", "yes", "")
	default:
		return w.space() + w.oneOf("", "", "+", "-") + w.oneOf("0", "0s", w.duration(), "0."+w.duration(), "-.5ns") + w.space()
	}
}

// Mutate changes a text in one place or a few.
func Mutate(r *rand.Rand, text string) string {
	runes := []rune(text)
	for range 1 + r.IntN(3) {
		at := r.IntN(len(runes) + 1)
		const spare = "0123456789:-.,;=#% \t\r\n()*/?+abdehimnrstuzMFSTZ\u00a0\u2013\u0130\u017f\u212a\u00b5\x00\""
		letter := []rune(spare)[r.IntN(len([]rune(spare)))]
		switch {
		case r.IntN(3) == 0 || at == len(runes):
			runes = append(runes[:at:at], append([]rune{letter}, runes[at:]...)...)
		case r.IntN(2) == 0:
			runes = append(runes[:at:at], runes[at+1:]...)
		default:
			runes[at] = letter
		}
	}
	return string(runes)
}

type writer struct{ *rand.Rand }

func (w writer) oneOf(texts ...string) string { return texts[w.IntN(len(texts))] }

func (w writer) maybe(text string) string { return w.oneOf("", text) }

// blank may stand between the words of a rule, gap must.
func (w writer) blank() string { return w.oneOf("", "", "", " ", " ", "\t", "\r", "  \t") }

func (w writer) gap() string { return w.oneOf(" ", " ", "\t", " \r ") }

// space is any blank of Unicode's, as it may stand around values and between cron's fields.
func (w writer) space() string {
	return w.oneOf("", "", " ", "\n", "\v", "\f", "\r\n", "\u0085", "\u00a0", "\u1680", "\u2003", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000")
}

// odd writes a word in some case.
func (w writer) odd(word string) string {
	return w.oneOf(word, word, strings.ToLower(word), strings.ToUpper(word), strings.ToUpper(word[:1])+word[1:])
}

// between glues words together with blanks or without.
func (w writer) between(words ...string) string {
	var b strings.Builder
	for _, word := range words {
		b.WriteString(w.blank())
		b.WriteString(word)
	}
	return b.String() + w.blank()
}

func (w writer) number(limit int) string {
	n := w.IntN(limit + 1)
	if w.IntN(8) == 0 {
		n = limit
	}
	if w.IntN(2) == 0 {
		n = min(limit, w.IntN(12))
	}
	return w.oneOf("", "", "", "0", "000") + strconv.Itoa(n)
}

func (w writer) size() string {
	switch w.IntN(4) {
	case 0:
		return w.odd("normal")
	case 1:
		return w.number(1000) + w.oneOf("", " ", "\u00a0") + "%" + w.oneOf("", " ", " "+w.odd("of")+"  "+w.odd("normal"), "\u00a0OF\u3000normal")
	default:
		return w.number(1_000_000) + w.oneOf("", "", w.oneOf("", " ", "\u00a0")+".."+w.oneOf("", "\t", "\u3000")+w.number(1_000_000))
	}
}

func (w writer) zone() string {
	names := timewindow.ZoneNames()
	return names[w.IntN(len(names))]
}

func (w writer) day() string {
	return w.odd(w.oneOf("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"))
}

func (w writer) days() string {
	var parts []string
	for range 1 + w.IntN(3) {
		if w.IntN(2) == 0 {
			parts = append(parts, w.day())
		} else {
			parts = append(parts, w.between(w.day(), "-", w.day()))
		}
	}
	return w.between(strings.Join(parts, w.blank()+","+w.blank()))
}

func (w writer) clock(end bool) string {
	if end && w.IntN(6) == 0 {
		return w.oneOf("24:00", "24:00:00")
	}
	text := fmt.Sprintf("%02d:%02d", w.IntN(24), w.oneIn(0, 30, 59))
	if w.IntN(4) == 0 {
		text += fmt.Sprintf(":%02d", w.IntN(60))
	}
	return text
}

func (w writer) oneIn(numbers ...int) int { return numbers[w.IntN(len(numbers))] }

func (w writer) span() string { return w.between(w.clock(false), "-", w.clock(true)) }

func (w writer) date(year bool) string {
	month, day := 1+w.IntN(12), 1+w.IntN(31)
	if w.IntN(8) == 0 {
		month, day = 2, 29
	}
	text := fmt.Sprintf("%02d-%02d", month, day)
	if year {
		text = fmt.Sprintf("%d-%s", w.oneIn(1970, 1971, 1999, 2000, 2024, 2026, 2028, 2100, 2104, 2199), text)
	}
	return text
}

func (w writer) dates() string {
	year := w.IntN(2) == 0
	text := w.date(year)
	if w.IntN(2) == 0 {
		text = w.between(text, "..", w.date(year))
	}
	if w.IntN(2) == 0 {
		text += w.gap() + w.span()
	}
	return text
}

func (w writer) duration() string {
	var text string
	for range 1 + w.IntN(2) {
		text += w.oneOf("1", "8", "90", "1.5", "1.", ".5", "007", "0") + w.oneOf("h", "m", "h", "m", "s", "ms", "us", "ns")
	}
	return text
}

// cronField is a field of cron's, from low to high, some of which may have names.
func (w writer) cronField(low, high int, names ...string) string {
	value := func(from int) (string, int) {
		n := from + w.IntN(high-from+1)
		if len(names) > 0 && n-low < len(names) && w.IntN(3) == 0 {
			return w.odd(names[n-low]), n
		}
		return w.oneOf("", "", "", "0", "+", "+00") + strconv.Itoa(n), n
	}
	var items []string
	for range 1 + w.IntN(2)*w.IntN(3) {
		item := w.oneOf("*", "*", "?")
		if w.IntN(2) == 0 {
			first, n := value(low)
			item = first
			if w.IntN(3) == 0 {
				last, _ := value(n)
				item += "-" + last
			}
		}
		if w.IntN(4) == 0 {
			item += "/" + w.oneOf("1", "2", "5", "15", "+3", "007")
		}
		items = append(items, item)
	}
	return strings.Join(items, ",")
}

func (w writer) cron() string {
	gap := func() string { return w.oneOf(" ", " ", "\t", "\u00a0", "\u2003 ", "\v") }
	fields := w.maybe(" ") + w.cronField(0, 59) + gap() + w.cronField(0, 23) + gap() + w.cronField(1, 31) + gap() +
		w.cronField(1, 12, "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec") + gap() +
		w.cronField(0, 7, "sun", "mon", "tue", "wed", "thu", "fri", "sat") + w.maybe("\u3000")
	return w.between(w.odd("cron"), "("+fields+")")
}

func (w writer) window() string {
	switch w.IntN(8) {
	case 0:
		return w.odd("always")
	case 1:
		return w.days()
	case 2:
		return w.span()
	case 3:
		return w.between(w.days(), w.span())
	case 4:
		return w.between(w.day(), w.clock(false), "-", w.day(), w.clock(true))
	case 5:
		return w.dates()
	case 6:
		return w.cron() + w.odd("for") + w.blank() + w.duration()
	default:
		return w.cron() + w.odd("to") + w.gap() + w.cron()
	}
}

func (w writer) rule() string {
	text := w.blank() + w.window()
	if w.IntN(3) == 0 {
		text += w.oneOf(" ", "\t", "  ", "") + w.zone()
	}
	return text + w.blank() + "=" + w.blank() + w.size() + w.blank()
}

func (w writer) rules() string {
	if w.IntN(40) == 0 {
		return w.space() + w.odd("none") + w.space()
	}
	var b strings.Builder
	b.WriteString(w.oneOf("", "", "", "\n", ";;", "# a comment; = \u00a0#\n"))
	for range 1 + w.IntN(3)*w.IntN(2) {
		b.WriteString(w.rule())
		b.WriteString(w.oneOf("\n", "\n", ";", ";\n", " # why; x = y\n", "\n\n", "#\n"))
	}
	return strings.TrimSuffix(b.String(), w.maybe("\n"))
}

// time is one that Go's RFC 3339 takes, which is a little more than RFC 3339 has.
func (w writer) time() string {
	return fmt.Sprintf("%d-%02d-%02dT%s:%02d:%02d%s%s", w.oneIn(1970, 2026, 9999), 1+w.IntN(12), 1+w.IntN(31),
		w.oneOf("00", "07", "7", "23"), w.IntN(60), w.IntN(60), w.oneOf("", "", ".5", ",123456789"), w.oneOf("Z", "+02:00", "-11:30"))
}
