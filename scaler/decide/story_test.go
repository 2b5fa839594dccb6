package decide_test

import (
	"maps"
	"testing"
	"time"

	"curfew/scaler/annotation"
	"curfew/scaler/decide"
)

// story is one workload and the time, with as much of an API server as it takes to tell how both go on.
type story struct {
	t           *testing.T
	size        int32
	writer      decide.Writer
	annotations map[string]string
	shift       time.Duration
	autoscaler  *decide.Autoscaler
	ceiling     *decide.Ceiling
	now         time.Time
	reasons     []decide.Reason // of every size that Curfew wrote
	writes      int             // every write of Curfew's
}

var owner = decide.Writer{Manager: "kubectl-client-side-apply"}

func begin(t *testing.T, size int32, at string, annotations map[string]string) *story {
	t.Helper()
	s := &story{t: t, size: size, writer: owner, annotations: maps.Clone(annotations)}
	return s.at(at)
}

// at moves to a time and lets Curfew look, twice: the second look must find nothing to do.
func (s *story) at(at string) *story {
	s.t.Helper()
	now, err := time.Parse(time.RFC3339, at)
	if err != nil {
		s.t.Fatal(err)
	}
	s.now = now
	s.look()
	return s
}

// look lets Curfew look at the workload until it has nothing to write.
func (s *story) look() decide.Decision {
	s.t.Helper()
	for range 2 {
		d, change := s.decide()
		if change.Empty() {
			return d
		}
		s.writes++
		if change.Size != nil {
			s.size, s.writer = *change.Size, decide.Writer{Manager: "curfew", Curfew: true}
		}
		if change.Max != nil {
			s.ceiling = &decide.Ceiling{Max: *change.Max, Writer: decide.Writer{Manager: "curfew", Curfew: true}}
		}
		if change.Resizes() {
			s.reasons = append(s.reasons, d.Reason)
		}
		if s.ceiling != nil && s.size > s.ceiling.Max {
			s.t.Fatalf("at %v the minimum is %d and the maximum %d", s.now, s.size, s.ceiling.Max)
		}
		for key, value := range change.Annotations {
			if value == nil {
				delete(s.annotations, key)
			} else {
				s.annotations[key] = *value
			}
		}
	}
	d, change := s.decide()
	if !change.Empty() {
		s.t.Fatalf("at %v Curfew does not come to rest: %v", s.now, change)
	}
	return d
}

func (s *story) decide() (decide.Decision, decide.Change) {
	w := decide.Workload{Size: s.size, Writer: s.writer, Status: annotation.ParseStatus(s.annotations[annotation.StatusKey]), Shift: s.shift, Autoscaler: s.autoscaler, Ceiling: s.ceiling, Floors: true}
	w.Spec, w.Problems = annotation.Parse(s.annotations, time.UTC)
	d := decide.Decide(w, s.now)
	return d, d.Change(s.size, s.annotations)
}

// scale is kubectl scale: a change through the scale subresource.
func (s *story) scale(size int32) *story {
	s.size, s.writer = size, decide.Writer{Manager: "kubectl", Scale: true}
	s.look()
	return s
}

// apply is a change of the object itself.
func (s *story) apply(size int32) *story {
	s.size, s.writer = size, owner
	s.look()
	return s
}

// annotate sets an annotation, or removes it if the value is "".
func (s *story) annotate(key, value string) *story {
	if value == "" {
		delete(s.annotations, key)
	} else {
		s.annotations[key] = value
	}
	s.look()
	return s
}

func (s *story) wantSize(size int32) *story {
	s.t.Helper()
	if s.size != size {
		s.t.Errorf("at %v the size is %d, want %d", s.now, s.size, size)
	}
	return s
}

// wantMemory checks the remembered size; "" is none.
func (s *story) wantMemory(memory string) *story {
	s.t.Helper()
	if got := s.annotations[annotation.Remembered]; got != memory {
		s.t.Errorf("at %v the memory is %q, want %q", s.now, got, memory)
	}
	return s
}

func (s *story) wantState(state annotation.State) *story {
	s.t.Helper()
	if got := s.status().State; got != state {
		s.t.Errorf("at %v the state is %q, want %q", s.now, got, state)
	}
	return s
}

func (s *story) wantUntil(until string) *story {
	s.t.Helper()
	if got := s.status().Until.Format(time.RFC3339); got != until {
		s.t.Errorf("at %v the status says until %v, want %v", s.now, got, until)
	}
	return s
}

func (s *story) status() annotation.Status {
	return annotation.ParseStatus(s.annotations[annotation.StatusKey])
}

func (s *story) wantReasons(reasons ...decide.Reason) {
	s.t.Helper()
	if len(reasons) != len(s.reasons) {
		s.t.Fatalf("sizes were written for %v, want %v", s.reasons, reasons)
	}
	for i := range reasons {
		if reasons[i] != s.reasons[i] {
			s.t.Fatalf("sizes were written for %v, want %v", s.reasons, reasons)
		}
	}
}

// wantClean checks that nothing of what Curfew writes is left.
func (s *story) wantClean() *story {
	s.t.Helper()
	for _, key := range []string{annotation.StatusKey, annotation.Remembered} {
		if value, ok := s.annotations[key]; ok {
			s.t.Errorf("at %v there is still %s: %s", s.now, key, value)
		}
	}
	return s
}
