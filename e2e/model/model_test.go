package model_test

import (
	"time"
)

// who is who set the size last, as far as Curfew can know.
type who int

const (
	byOwner who = iota // an apply, an edit
	byScale            // somebody, through the scale subresource
	byCurfew
)

// says is what annotations say, a Deployment's or its Namespace's.
type says struct {
	rules    []rule // nil: nothing
	none     bool   // opted out
	mistake  bool   // the rules make no sense
	zone     string // "": nothing
	override string // a size; "": none, "?" one that makes no sense
	until    time.Time
	paused   string // "true", "false" or "" for nothing
	lead     *time.Duration
	spread   *time.Duration
	replicas *int32        // a Deployment's only
	grace    time.Duration // a Deployment's only
}

// hasRules tells whether anything is said about windows at all.
func (s says) hasRules() bool { return s.rules != nil || s.none || s.mistake }

// model is one Deployment, and what must become of it.
type model struct {
	own, space says
	autoscaler *int32 // its minimum; nil: none
	created    time.Time
	walls      func(zone string) *wall
	share      func(spread time.Duration) time.Duration // how much later than the rules say its boundaries come
	every      time.Duration                            // how closely it looks
	seen       map[time.Time]string                     // what the rules ask for at an instant, as long as nobody changes them

	size   int32
	writer who
	memory *int32 // what is remembered, where all can read it

	// In a window, what Curfew knows.
	held   bool
	holds  int32 // the size it holds the Deployment at
	normal int32 // the size it has without

	blank bool // nothing is on the Deployment that Curfew wrote

	wrote []written
}

// written is a size that Curfew has to write, and when.
type written struct {
	at   time.Time
	size int32
}

// wish is what is asked for at an instant.
type wish struct {
	nothing  bool  // there is nobody who asks
	override *says // whose override it is; nil: nobody's
	size     string
}

func (m *model) asked(now time.Time) wish {
	if o := &m.own; o.override != "" && o.override != "?" && now.Before(o.until) {
		return wish{override: o, size: o.override}
	}
	if o := &m.space; !m.own.none && o.override != "" && o.override != "?" && now.Before(o.until) {
		return wish{override: o, size: o.override}
	}
	rules := m.rules()
	if rules == nil {
		return wish{nothing: true, size: "normal"}
	}
	// What asks for most between now and the end of the lead, the first of equals.
	at := now.Add(-m.share(nearer(m.own.spread, m.space.spread)))
	best, normal := m.ruled(rules, at), m.normally()
	worth := func(size string) int32 {
		n := of(size, normal)
		if m.autoscaler != nil { // every size above 0 is its own
			n = min(n, 1)
		}
		return n
	}
	for end := at.Add(nearer(m.own.lead, m.space.lead)); at.Before(end); {
		at = at.Add(m.every)
		if then := m.ruled(rules, at); worth(then) > worth(best) {
			best = then
		}
	}
	return wish{size: best}
}

func nearer(own, space *time.Duration) time.Duration {
	switch {
	case own != nil:
		return *own
	case space != nil:
		return *space
	}
	return 0
}

// ruled is the size of the first rule that holds.
func (m *model) ruled(rules []rule, at time.Time) string {
	if size, known := m.seen[at]; known {
		return size
	}
	home := "UTC"
	if m.space.zone != "" {
		home = m.space.zone
	}
	if m.own.zone != "" {
		home = m.own.zone
	}
	size := "normal"
	for _, r := range rules {
		zone := r.zone
		if zone == "" {
			zone = home
		}
		if w := m.walls(zone); r.holds(w, w.tick(at)) {
			size = r.size
			break
		}
	}
	m.seen[at] = size
	return size
}

// rules are those that count: the Deployment's own, or else its Namespace's.
func (m *model) rules() []rule {
	if m.own.hasRules() {
		return m.own.rules
	}
	return m.space.rules
}

// invalid tells whether there is a mistake because of which the Deployment is left as it stands.
func (m *model) invalid() bool { return m.own.mistake || !m.own.hasRules() && m.space.mistake }

func (m *model) paused() bool {
	if m.own.paused != "" {
		return m.own.paused == "true"
	}
	return m.space.paused == "true"
}

// taken tells whether a window took the Deployment from its normal size.
func (m *model) taken() bool { return m.memory != nil || m.held && m.holds != m.normal }

// own, or the size that the owner has set meanwhile: that is their newest word on normal.
func (m *model) normally() int32 {
	switch {
	case m.own.replicas != nil:
		return *m.own.replicas
	case !m.held:
		return m.size
	case m.writer == byOwner && m.size > 0 && m.size != m.holds:
		return m.size
	}
	return m.normal
}

// lost tells whether nobody can know what is normal: Curfew set the Deployment to 0, and nothing on it says whether that
// was for a window, whose memory somebody has removed, or given back to one that is at 0 by itself. Curfew prefers to
// wake one too many.
func (m *model) lost() bool {
	return m.blank && m.size == 0 && m.writer == byCurfew && m.own.replicas == nil
}

// look is what has to come of it when Curfew looks.
func (m *model) look(now time.Time) {
	asked := m.asked(now)
	lost := m.lost()
	m.blank = asked.nothing && m.own.override != "?" && (m.own.none || m.space.override != "?") && !m.invalid() && (!m.paused() || !m.taken())
	switch {
	case m.invalid():
	case asked.nothing && !m.taken():
		m.letGo()
	case m.paused():
	case !asked.nothing && !m.taken() && now.Before(m.created.Add(m.own.grace)):
		m.letGo()
	case asked.nothing || asked.size == "normal" || m.autoscaler != nil && of(asked.size, m.normally()) > 0:
		m.giveBack(now, asked.nothing)
	default:
		normal := m.normally()
		size := of(asked.size, normal)
		if lost && size == 0 {
			m.blank = true // it is as little known as before
			return
		}
		if lost {
			normal = size
		}
		if m.own.replicas != nil {
			m.memory = nil
		} else if size != normal || m.memory != nil {
			m.memory = &normal
		}
		m.held, m.holds, m.normal = true, size, normal
		m.write(now, size)
	}
}

// giveBack ends what a window did.
func (m *model) giveBack(now time.Time, nobodyAsks bool) {
	normal := m.normally()
	switch {
	case m.autoscaler != nil:
		if m.taken() && m.size == 0 {
			m.write(now, max(normal, *m.autoscaler))
		}
	case m.taken(), m.own.replicas != nil && !nobodyAsks:
		m.write(now, normal)
	}
	m.letGo()
}

func (m *model) letGo() { m.held, m.memory = false, nil }

func (m *model) write(now time.Time, size int32) {
	if size != m.size {
		m.size, m.writer = size, byCurfew
		m.wrote = append(m.wrote, written{now, size})
	}
}
