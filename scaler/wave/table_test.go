package wave

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/utils/ptr"
)

var eight = time.Date(2026, 6, 1, 8, 0, 0, 0, time.UTC)

// at is so long after eight.
func at(after time.Duration) time.Time { return eight.Add(after) }

func in(wave int32) *int32 { return &wave }

// due is the sight of a workload that is to be woken.
func due(wave *int32) Sight { return Sight{Wave: wave, Due: true, Since: eight, Version: "1"} }

// rising is that of one that was woken and is not up.
func rising(wave *int32, woken time.Time) Sight { return Sight{Wave: wave, Woken: woken, Version: "2"} }

// up is that of one that is.
func up(wave *int32) Sight { return Sight{Wave: wave, Woken: eight, Up: true, Version: "3"} }

func newTable(l Limits) *Table[string] {
	if l.Timeout == 0 {
		l.Timeout = 5 * time.Minute
	}
	return New(l, strings.Compare)
}

// started is a table that knows of everybody there is, which is nobody.
func started(l Limits) *Table[string] {
	t := newTable(l)
	t.Start(at(-time.Hour))
	return t
}

// called are the names of those that should be looked at, in order.
func called(t *Table[string]) string {
	var names []string
	for _, c := range t.Take() {
		names = append(names, c.Key)
	}
	return strings.Join(names, " ")
}

func TestTurns(t *testing.T) {
	// Each step is what happens, and what is expected of it: "go" or "wait", and who is called.
	type step struct {
		after time.Duration
		key   string
		sight any // Sight, or what happened to the write: "wrote", "failed", "gone", or "time" has passed
		want  string
	}
	look := func(after time.Duration, key string, s Sight, want string) step { return step{after, key, s, want} }
	is := func(after time.Duration, key, what, want string) step { return step{after, key, what, want} }
	for name, c := range map[string]struct {
		limits Limits
		steps  []step
	}{
		"nothing limits": {Limits{}, []step{look(0, "a", due(nil), "go"), look(0, "b", due(nil), "go")}},
		"a wave waits for the one before": {Limits{}, []step{
			look(0, "a", due(in(1)), "go"), look(0, "b", due(in(2)), "wait"), look(0, "c", due(in(1)), "go"), look(0, "other", due(nil), "go"),
			is(1, "a", "wrote", ""), is(1, "c", "wrote", ""), look(2, "a", rising(in(1), eight), "go"),
			look(3, "a", up(in(1)), "go"), look(3, "c", up(in(1)), "go, b"), look(3, "b", due(in(2)), "go"),
		}},
		"a wave waits for one below that waits": {Limits{Concurrency: 1}, []step{
			look(0, "x", due(in(0)), "go"), look(0, "a", due(in(1)), "wait"), look(0, "b", due(in(2)), "wait"), is(0, "x", "wrote", ""), look(1, "x", up(in(0)), "go, a"),
		}},
		"a wave that is not up in time is passed over": {Limits{}, []step{
			look(0, "a", due(in(1)), "go"), is(0, "a", "wrote", ""), look(0, "b", due(in(2)), "wait"),
			is(5*time.Minute-1, "", "time", ""), is(5*time.Minute, "", "time", "a b"),
			look(5*time.Minute, "a", rising(in(1), eight), "go late"), look(6*time.Minute, "a", rising(in(1), eight), "go"),
		}},
		"a write that fails is waited for as long": {Limits{}, []step{
			look(0, "a", due(in(1)), "go"), is(0, "a", "failed", ""), look(0, "b", due(in(2)), "wait"), look(time.Minute, "a", due(in(1)), "go"),
			is(time.Minute, "a", "failed", ""), is(5*time.Minute, "", "time", "b"), look(6*time.Minute, "a", due(in(1)), "go"), look(6*time.Minute, "c", due(in(2)), "go"),
		}},
		"a place is free again": {Limits{Concurrency: 2}, []step{
			look(0, "a", due(nil), "go"), look(0, "b", due(nil), "go"), look(0, "d", due(nil), "wait"), look(0, "c", due(nil), "wait"),
			is(0, "a", "wrote", ""), is(0, "b", "wrote", ""), look(1, "b", up(nil), "go, c"), look(2, "a", Sight{}, "go, d"),
		}},
		"whoever was called and is not to be woken any more gives its place back": {Limits{Concurrency: 1}, []step{
			look(0, "a", due(nil), "go"), look(0, "b", due(nil), "wait"), look(0, "c", due(nil), "wait"), is(0, "a", "wrote", ""),
			look(1, "a", up(nil), "go, b"), look(1, "b", Sight{}, "go, c"), is(1, "c", "gone", ""), look(2, "d", due(nil), "go"),
		}},
		"the lower wave comes first, none last": {Limits{Concurrency: 1}, []step{
			look(0, "x", due(nil), "go"), is(0, "x", "wrote", ""),
			look(0, "none", due(nil), "wait"), look(0, "two", due(in(2)), "wait"), look(0, "one", due(in(1)), "wait"),
			look(1, "x", up(nil), "go, one"), is(1, "one", "wrote", ""), look(2, "one", up(in(1)), "go, two"), is(2, "two", "wrote", ""), look(3, "two", up(in(2)), "go, none"),
		}},
		"what was raised for a person takes a place too": {Limits{Concurrency: 1}, []step{
			look(0, "a", Sight{Version: "1"}, "go"), is(0, "a", "wrote", ""), look(0, "b", due(nil), "wait"), look(1, "a", up(nil), "go, b"),
		}},
		"what is seen before the write is old": {Limits{Concurrency: 1}, []step{
			look(0, "a", due(nil), "go"), is(0, "a", "wrote", ""), look(0, "a", due(nil), "go"), look(0, "b", due(nil), "wait"), look(0, "a", Sight{Version: "1"}, "go"), look(1, "a", up(nil), "go, b"),
		}},
		"an even pace": {Limits{PerMinute: 6}, []step{
			look(0, "a", due(nil), "go"), look(0, "b", due(nil), "wait"), look(0, "c", due(nil), "wait"), is(time.Second, "a", "wrote", ""),
			is(11*time.Second-1, "", "time", ""), is(11*time.Second, "", "time", "b"), is(time.Minute, "", "time", ""),
			is(time.Minute, "b", "wrote", ""), is(70*time.Second, "", "time", "c"),
		}},
		"a failed write keeps the pace": {Limits{PerMinute: 6}, []step{
			look(0, "a", due(nil), "go"), is(0, "a", "failed", ""), look(1, "a", due(nil), "wait"), look(1, "b", due(nil), "wait"),
			is(10*time.Second, "", "time", "a"), is(10*time.Second, "a", "wrote", ""), is(20*time.Second, "", "time", "b"),
		}},
		"a wave of which not everybody was looked at": {Limits{}, []step{
			look(-time.Hour, "a", Sight{Wave: in(1), Next: eight}, "go"), look(-time.Hour, "b", Sight{Wave: in(2), Next: eight}, "go"),
			look(1, "b", due(in(2)), "wait"), look(2, "a", due(in(1)), "go"), is(2, "a", "wrote", ""), look(3, "a", up(in(1)), "go, b"),
		}},
		"somebody who is never looked at": {Limits{Concurrency: 1}, []step{
			look(-time.Hour, "a", Sight{Wave: in(1), Next: eight}, "go"), look(0, "b", due(in(2)), "wait"), look(0, "c", due(nil), "wait"),
			is(5*time.Minute-1, "", "time", ""), is(5*time.Minute, "", "time", "b"),
		}},
		"one that is on its way and raised again needs no other place": {Limits{Concurrency: 1}, []step{
			look(0, "a", due(nil), "go"), is(0, "a", "wrote", ""), look(0, "b", due(nil), "wait"),
			look(1, "a", Sight{Due: true, Since: at(-1), Woken: eight, Version: "2"}, "go"),
		}},
	} {
		t.Run(name, func(t *testing.T) {
			table := started(c.limits)
			for i, s := range c.steps {
				now, got := at(s.after), ""
				switch what := s.sight.(type) {
				case Sight:
					turn := table.Look(s.key, what, now)
					got = "wait"
					if turn.Go {
						got = "go"
					}
					if turn.Late {
						got += " late"
					}
				case string:
					map[string]func(){
						"wrote": func() { table.Wrote(s.key, "1", now) }, "failed": func() { table.Failed(s.key, now) },
						"gone": func() { table.Forget(s.key, now) }, "time": func() { table.Advance(now) },
					}[what]()
				}
				if calls := called(table); calls != "" {
					if got != "" {
						got += ", "
					}
					got += calls
				}
				if got != s.want {
					t.Errorf("step %d, %s at %v: %q, want %q", i+1, s.key, s.after, got, s.want)
				}
			}
		})
	}
}

func TestNobodyGoesBeforeEverybodyWasLookedAt(t *testing.T) {
	table := newTable(Limits{})
	if table.Look("b", due(in(2)), eight).Go || table.Look("a", due(in(1)), eight).Go {
		t.Error("somebody goes")
	}
	table.Start(eight)
	if got := called(table); got != "a" {
		t.Errorf("called: %q", got)
	}
}

// TestANewLeader derives who is on its way, and when somebody was woken last, from the objects.
func TestANewLeader(t *testing.T) {
	table := newTable(Limits{Concurrency: 2, PerMinute: 6})
	table.Look("a", rising(nil, at(-4*time.Second)), eight)
	table.Look("old", rising(nil, at(-time.Hour)), eight)
	table.Look("up", Sight{Woken: at(-3 * time.Second), Up: true}, eight)
	table.Look("b", due(nil), eight)
	table.Look("c", due(nil), eight)
	table.Start(eight)
	if again := table.Again(); called(table) != "" || !again.Equal(at(8*time.Second)) || table.Moving() != 1 {
		t.Errorf("again %v, %d on their way", again, table.Moving())
	}
	table.Advance(at(8 * time.Second))
	if got := called(table); got != "b" {
		t.Errorf("called: %q", got)
	}
	if table.Look("old", rising(nil, at(-time.Hour)), eight).Late {
		t.Error("an old story is told")
	}
	table = newTable(Limits{Concurrency: 1})
	table.Look("late", rising(nil, at(-6*time.Minute)), eight)
	table.Start(eight)
	if !table.Look("late", rising(nil, at(-6*time.Minute)), eight).Late || table.Look("late", rising(nil, at(-6*time.Minute)), eight).Late {
		t.Error("a new story is not told once")
	}
}

func TestNothingIsKeptOfWhatDoesNotMatter(t *testing.T) {
	for name, table := range map[string]*Table[string]{"no limits": started(Limits{}), "limits": started(Limits{Concurrency: 1})} {
		table.Look("idle", Sight{Next: at(time.Hour)}, eight)
		table.Look("up", up(nil), eight)
		if table.Len() != 0 {
			t.Errorf("%s: %d entries", name, table.Len())
		}
	}
	table := started(Limits{})
	table.Look("a", due(in(1)), eight)
	table.Look("b", due(in(2)), eight)
	table.Look("a", due(nil), eight) // it has left its wave
	if got := called(table); got != "b" || table.Len() != 1 {
		t.Errorf("called: %q, %d entries", got, table.Len())
	}
}

func TestWakingTenThousand(t *testing.T) {
	table := started(Limits{Concurrency: 10})
	const n = 10000
	var line []string
	begun := time.Now()
	for i := range n {
		key := fmt.Sprintf("%05d", i)
		if table.Look(key, due(in(int32(i%3))), eight).Go {
			line = append(line, key)
		}
	}
	now := eight
	for done := 0; len(line) > 0; done++ {
		key := line[0]
		line = line[1:]
		now = now.Add(time.Millisecond)
		table.Wrote(key, "1", now)
		s := up(nil)
		s.Wave = table.wave(key)
		table.Look(key, s, now)
		for _, c := range table.Take() {
			line = append(line, c.Key)
		}
		if done == n {
			t.Fatal("somebody wakes twice")
		}
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("%v for %d", took, n)
	}
	if table.Moving() != 0 {
		t.Errorf("%d are left", table.Moving())
	}
}

func (t *Table[K]) wave(key K) *int32 { return ptr.To(t.entries[key].wave) }

// story is a world of workloads in which things happen at random, known in full, beside a table that is told of them.
type story struct {
	t      *testing.T
	random *rand.Rand
	limits Limits
	table  *Table[string]
	now    time.Time
	all    []*actor
	called []string
	log    []string
	last   time.Time // the last wake
}

type actor struct {
	key      string
	wave     *int32
	size     int32 // 0 or 1
	wants    bool  // to be woken
	up       bool
	broken   bool      // its writes fail
	stuck    bool      // it never comes up
	woken    time.Time // when it was
	tried    time.Time // when its turn came, while nothing has come of it
	version  int
	hadTime  bool // since it wants to be woken, a try of it was waited for in vain
	boundary time.Time
	seen     bool // since its boundary
}

// busy reports whether an actor holds higher waves up, by the definition.
func (s *story) busy(a *actor) bool {
	if !a.seen && !a.boundary.After(s.now) && s.now.Before(a.boundary.Add(s.limits.Timeout)) {
		return true // it may be to be woken, for all that is known
	}
	return !a.hadTime && (a.wants && a.seen || s.moving(a))
}

func (s *story) moving(a *actor) bool {
	if a.size > 0 && !a.up && s.now.Before(a.woken.Add(s.limits.Timeout)) {
		return true
	}
	return a.wants && !a.tried.IsZero() && s.now.Before(a.tried.Add(s.limits.Timeout))
}

func (s *story) look(a *actor) {
	sight := Sight{Wave: a.wave, Due: a.wants, Since: a.boundary, Version: fmt.Sprint(a.version), Up: a.up}
	if a.boundary.After(s.now) {
		sight.Next, sight.Since = a.boundary, time.Time{}
	} else {
		a.seen = true
	}
	if a.size > 0 {
		sight.Woken = a.woken
	}
	turn := s.table.Look(a.key, sight, s.now)
	s.take()
	if !a.wants || !turn.Go {
		return
	}
	s.turn(a)
	if r := s.limits.PerMinute; r > 0 && !s.last.IsZero() && s.now.Sub(s.last) < time.Minute/time.Duration(r) {
		s.fail("%s goes %v after the one before", a.key, s.now.Sub(s.last))
	}
	if a.broken {
		s.table.Failed(a.key, s.now)
		s.last = s.now
		s.note("%s fails", a.key)
	} else {
		version := fmt.Sprint(a.version)
		a.version++
		a.size, a.wants, a.up, a.woken, a.tried, a.hadTime = 1, false, false, s.now, time.Time{}, false
		s.last = s.now
		s.table.Wrote(a.key, version, s.now)
		s.note("%s wakes", a.key)
	}
	s.take()
}

// turn holds the turn that an actor is given against the rules, unless it has it already.
func (s *story) turn(a *actor) {
	if !a.tried.IsZero() {
		return
	}
	moving := 0
	for _, b := range s.all {
		if b == a {
			continue
		}
		if s.moving(b) {
			moving++
		}
		if a.wave != nil && b.wave != nil && *b.wave < *a.wave && s.busy(b) {
			s.fail("%s of wave %d goes before %s of wave %d", a.key, *a.wave, b.key, *b.wave)
		}
	}
	if n := s.limits.Concurrency; n > 0 && moving >= n {
		s.fail("%s goes while %d are on their way", a.key, moving)
	}
	a.tried = s.now
}

func (s *story) note(format string, args ...any) {
	s.log = append(s.log, fmt.Sprint(s.now.Sub(eight), " ", fmt.Sprintf(format, args...)))
}

func (s *story) fail(format string, args ...any) {
	s.t.Helper()
	s.t.Fatalf("%s\n%+v\n%s", fmt.Sprintf(format, args...), s.limits, strings.Join(s.log, "\n"))
}

func (s *story) take() {
	for _, c := range s.table.Take() {
		s.called = append(s.called, c.Key)
		if a := s.find(c.Key); a.wants && !c.Since.IsZero() {
			s.turn(a)
		}
	}
}

func (s *story) pass(by time.Duration) {
	end := s.now.Add(by)
	for {
		again := s.table.Again()
		if again.IsZero() || again.After(end) {
			break
		}
		if again.After(s.now) {
			s.now = again
		}
		s.age()
		s.table.Advance(s.now)
		s.take()
		s.answer()
		if next := s.table.Again(); next.Equal(again) {
			s.fail("time stands still at %v", again)
		}
	}
	s.now = end
	s.age()
	s.table.Advance(s.now)
	s.take()
}

// age notes who has had its time.
func (s *story) age() {
	for _, a := range s.all {
		if a.wants && !a.tried.IsZero() && !s.now.Before(a.tried.Add(s.limits.Timeout)) {
			a.hadTime, a.tried = true, time.Time{}
		}
	}
}

// answer looks at all who are called.
func (s *story) answer() {
	for len(s.called) > 0 {
		key := s.called[0]
		s.called = s.called[1:]
		s.look(s.find(key))
	}
}

func (s *story) find(key string) *actor {
	i := slices.IndexFunc(s.all, func(a *actor) bool { return a.key == key })
	return s.all[i]
}

func TestStories(t *testing.T) {
	for seed := range uint64(400) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { tell(t, seed) })
	}
}

func tell(t *testing.T, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 1))
	limits := Limits{Concurrency: random.IntN(4), PerMinute: []int{0, 0, 6, 60}[random.IntN(4)], Timeout: time.Minute}
	s := &story{t: t, random: random, limits: limits, table: started(limits), now: at(-time.Hour)}
	for i := range 3 + random.IntN(12) {
		a := &actor{key: fmt.Sprintf("%02d", i), boundary: eight, stuck: random.IntN(8) == 0, broken: random.IntN(8) == 0}
		if w := random.Int32N(4); w < 3 {
			a.wave = &w
		}
		s.all = append(s.all, a)
		s.look(a)
	}
	s.now = eight
	for _, a := range s.all {
		a.wants = true
	}
	for range 60 + random.IntN(60) {
		a := s.all[random.IntN(len(s.all))]
		switch what := random.IntN(10); {
		case what < 3:
			s.look(a)
		case what < 6:
			s.answer()
		case what == 6 && a.size > 0 && !a.up && !a.stuck:
			a.up = true
			a.version++
			s.note("%s is up", a.key)
			s.look(a)
		case what == 7 && a.wants && random.IntN(6) == 0: // somebody has paused it, or it is its night again
			a.wants, a.tried, a.hadTime = false, time.Time{}, false
			a.version++
			s.note("%s does not want", a.key)
			s.look(a)
		case what == 8 && random.IntN(10) == 0:
			s.restart()
		default:
			s.pass(time.Duration(random.IntN(20000)) * time.Millisecond)
		}
	}
	// Given time, whoever can wake does.
	for range 40 + 4*len(s.all) {
		for _, a := range s.all {
			if a.size > 0 && !a.up && !a.stuck {
				a.up = true
				a.version++
			}
			s.look(a)
		}
		s.answer()
		s.pass(30 * time.Second)
	}
	for _, a := range s.all {
		if a.wants && !a.broken {
			s.fail("%s has waited in vain", a.key)
		}
	}
}

// restart has a new leader find all by itself.
func (s *story) restart() {
	s.note("a new leader")
	s.now = s.now.Add(time.Second)
	s.called = nil
	s.table, s.last = newTable(s.limits), time.Time{}
	for _, a := range s.all {
		if a.size > 0 && a.woken.After(s.last) {
			s.last = a.woken
		}
		a.tried, a.hadTime, a.seen = time.Time{}, false, true // of what failed nothing is left on the object
		sight := Sight{Wave: a.wave, Due: a.wants, Since: a.boundary, Version: fmt.Sprint(a.version), Up: a.up}
		if a.size > 0 {
			sight.Woken = a.woken
		}
		s.table.Look(a.key, sight, s.now)
	}
	s.table.Start(s.now)
	s.take()
	s.answer()
}

func TestOrderIsTotal(t *testing.T) {
	table := started(Limits{Concurrency: 1})
	x, y := &entry[string]{key: "a", wave: 1, since: eight}, &entry[string]{key: "b", wave: 1, since: eight}
	for name, change := range map[string]func(){"key": func() {}, "time": func() { x.since = at(-1) }, "wave": func() { x.wave, x.since = 0, at(1) }} {
		x.wave, x.since = 1, eight
		change()
		if !table.before(x, y) || table.before(y, x) {
			t.Errorf("%s does not order %v and %v", name, *x, *y)
		}
	}
}
