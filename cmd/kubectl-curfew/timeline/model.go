package timeline

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"curfew/cmd/kubectl-curfew/live"
	"curfew/scaler/annotation"
	"curfew/scaler/decide"
)

// Model is all that a page shows. Times are in seconds since 1970.
type Model struct {
	Now      int64              `json:"now"`
	From     int64              `json:"from"`
	To       int64              `json:"to"`
	Range    string             `json:"range"`
	Title    string             `json:"title"`
	Previous string             `json:"previous"`
	Next     string             `json:"next"`
	Zone     string             `json:"zone"` // the one that days start in
	Ticks    []Tick             `json:"ticks"`
	Clocks   map[string][]Clock `json:"clocks"`            // by zone
	Groups   []Group            `json:"groups"`            // never nil
	Trouble  string             `json:"trouble,omitempty"` // why this may be old
	Others   int                `json:"others"`            // workloads that are left out, for Curfew has nothing to do with them
	Sum
}

// Group is the workloads of a Namespace.
type Group struct {
	Namespace string `json:"namespace"`
	Rows      []Row  `json:"rows"`
	Sum
}

// Row is a workload.
type Row struct {
	Kind       string   `json:"kind"` // as manifests have it
	Name       string   `json:"name"`
	Zone       string   `json:"zone"`
	Size       int32    `json:"size"`                // what it asks for now
	Max        int32    `json:"max,omitempty"`       // the maximum, where the size is a minimum
	Normal     int32    `json:"normal"`              // what it has without a window
	NormalMax  int32    `json:"normalMax,omitempty"` // the same of the maximum
	Switch     bool     `json:"switch,omitempty"`    // it is on or off, and its size 1 or 0
	Uncounted  bool     `json:"uncounted,omitempty"` // its size is no number of pods, so that there is nothing to sum
	Autoscaler string   `json:"autoscaler,omitempty"`
	OptedOut   bool     `json:"optedOut,omitempty"`
	Spans      []Span   `json:"spans"` // never nil; each ends where the next one starts, and the last at the model's To
	Texts      []string `json:"texts,omitempty"`
	Cut        bool     `json:"cut,omitempty"` // there is more than the spans; they end with one that is unknown
	Sum
}

// Span is a bar.
type Span struct {
	At   int64 `json:"at"`
	Kind Kind  `json:"kind"`
	Size int32 `json:"size"`
	Max  int32 `json:"max,omitempty"`  // the maximum, where the size is a minimum
	Rule int   `json:"rule,omitempty"` // the rule, as an index into Texts counted from 1; 0: none
	Note int   `json:"note,omitempty"` // the same for what is wrong or in the way
}

// Make draws up what a page shows of the subjects at an instant. Of those that Curfew has nothing to do with it shows
// the number only, unless all is set.
func Make(subjects []live.Subject, v View, now time.Time, all bool) (Model, error) {
	if v.Zone == nil {
		v.Zone = usual(subjects)
	}
	s, err := v.at(now)
	if err != nil {
		return Model{}, err
	}
	m := Model{
		Now: now.Unix(), From: s.from.Unix(), To: s.to.Unix(),
		Range: v.Range, Title: s.title, Previous: s.previous, Next: s.next,
		Zone: v.Zone.String(), Ticks: v.ticks(s), Clocks: map[string][]Clock{v.Zone.String(): clocks(v.Zone, s)}, Groups: []Group{},
	}
	for _, subject := range subjects { // which come by namespace
		if !all && !subject.Concerned() {
			m.Others++
			continue
		}
		row := rowOf(subject, s, now)
		namespace := readable(subject.Object.Namespace)
		if last := len(m.Groups) - 1; last < 0 || m.Groups[last].Namespace != namespace {
			m.Groups = append(m.Groups, Group{Namespace: namespace})
		}
		group := &m.Groups[len(m.Groups)-1]
		group.Rows = append(group.Rows, row)
		group.Sum = group.Add(row.Sum)
		m.Sum = m.Add(row.Sum)
		if m.Clocks[row.Zone] == nil {
			m.Clocks[row.Zone] = clocks(subject.Zone, s)
		}
	}
	return m, nil
}

func rowOf(subject live.Subject, s stretch, now time.Time) Row {
	w, k := subject.Workload, subject.Object.Kind
	row := Row{
		Kind: readable(k.Name), Name: readable(subject.Object.Name), Zone: subject.Zone.String(),
		Size: w.Size, Max: live.MaxOf(w), Normal: normalOf(w, now),
		Switch: live.IsSwitch(k), Uncounted: !k.Counted, OptedOut: w.Spec.OptedOut, Spans: []Span{},
	}
	row.NormalMax, _ = w.NormalMax()
	if w.Autoscaler != nil {
		row.Autoscaler = readable(w.Autoscaler.Name)
	}
	spans, complete := spansOf(w, s.from, s.to, now)
	texts := map[string]int{}
	text := func(t string) int {
		if t == "" {
			return 0
		}
		t = readable(t)
		if texts[t] == 0 {
			row.Texts = append(row.Texts, t)
			texts[t] = len(row.Texts)
		}
		return texts[t]
	}
	for _, span := range spans {
		row.Spans = append(row.Spans, Span{span.From.Unix(), kindOf(span, row.Normal, row.NormalMax), span.Size, span.Max, text(ruleOf(w, span)), text(span.Message)})
	}
	end := s.to
	if row.Cut = !complete; row.Cut {
		end = spans[len(spans)-1].To
	}
	if row.Cut { // a sum of a part would pass for the whole
		row.Spans = append(row.Spans, Span{At: end.Unix(), Kind: KindUnknown, Size: row.Normal})
		return row
	}
	if !row.Uncounted {
		row.Sum = sumOf(row.Spans, row.Normal, end)
	}
	return row
}

// ruleOf is the rule that says so. A rule may say normal, which to the decision is the same as none.
func ruleOf(w decide.Workload, s decide.Span) string {
	if s.State != annotation.StateNormal || w.Spec.Schedule == nil {
		return s.Rule
	}
	if state := w.Timetable().At(s.From); state.Rule >= 0 {
		return w.Spec.Schedule.Rules()[state.Rule].Text()
	}
	return ""
}

// usual is the zone that most subjects are shown in, of those that Curfew has to do with; UTC if there are none.
func usual(subjects []live.Subject) *time.Location {
	zones, count := map[string]*time.Location{}, map[string]int{}
	for _, s := range subjects {
		if s.Concerned() {
			zones[s.Zone.String()] = s.Zone
			count[s.Zone.String()]++
		}
	}
	if len(zones) == 0 {
		return time.UTC
	}
	return zones[slices.MaxFunc(slices.Sorted(maps.Keys(zones)), func(x, y string) int { return cmp.Compare(count[x], count[y]) })]
}
