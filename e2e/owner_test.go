package e2e_test

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"curfew/e2e/harness"
)

// TestOwnersChanges: what the owner does to a Deployment inside a window, and
// what Curfew makes of it. Each costs the writes it needs and no other.
func TestOwnersChanges(t *testing.T) {
	t.Parallel()
	night := harness.WindowIn(-time.Hour, 3*time.Hour)
	for name, test := range map[string]struct {
		change     func(s *space)
		writes     []int32 // the sizes that Curfew writes in answer
		size       int32
		remembered string
	}{
		"another size in the rule": {
			change:     func(s *space) { s.annotate("web", annotations{harness.Windows: night.Rule("1")}) },
			writes:     []int32{1},
			size:       1,
			remembered: "3",
		},
		"a normal size given": {
			change: func(s *space) { s.annotate("web", annotations{harness.Replicas: "4"}) },
			writes: []int32{statusOnly},
			size:   0,
		},
		"the rule moved to another time": {
			change: func(s *space) {
				s.annotate("web", annotations{harness.Windows: harness.WindowIn(4*time.Hour, time.Hour).Rule("0")})
			},
			writes: []int32{3},
			size:   3,
		},
		"a rollout": {
			change: func(s *space) {
				s.update("web", func(d *appsv1.Deployment) { d.Spec.Template.Annotations["example.com/build"] = "18" })
			},
			size:       0,
			remembered: "3",
		},
		"the status thrown away": {
			change: func(s *space) {
				s.update("web", func(d *appsv1.Deployment) { delete(d.Annotations, harness.Status) })
			},
			writes:     []int32{statusOnly},
			size:       0,
			remembered: "3",
		},
		"the memory thrown away": {
			change: func(s *space) {
				s.update("web", func(d *appsv1.Deployment) { delete(d.Annotations, harness.Remembered) })
			},
			writes:     []int32{statusOnly},
			size:       0,
			remembered: "3",
		},
		"a mistake made": {
			change:     func(s *space) { s.annotate("web", annotations{harness.Windows: "always 0"}) },
			writes:     []int32{statusOnly},
			size:       0,
			remembered: "3",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSpace(t)
			s.needAudit()
			s.create("web", 3, annotations{harness.Windows: night.Rule("0")})
			s.awaitWrites("web", 1)

			test.change(s)
			s.awaitWrites("web", 1+len(test.writes))
			s.settle()
			steps := []step{{size: 0}}
			for _, size := range test.writes {
				steps = append(steps, step{size: size})
			}
			s.curfewDid("web", steps...)
			after := s.get("web")
			if got := harness.Size(after); got != test.size {
				t.Errorf("size %d, want %d", got, test.size)
			}
			if got := after.Annotations[harness.Remembered]; got != test.remembered {
				t.Errorf("remembered %q, want %q", got, test.remembered)
			}
		})
	}
}

// TestDeletedAndMadeAnew: a Deployment of the same name is another one, and the
// memory of the first is not its own.
func TestDeletedAndMadeAnew(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	rule := annotations{harness.Windows: harness.WindowIn(-time.Hour, 3*time.Hour).Rule("0")}
	s.create("web", 3, rule)
	s.awaitWrites("web", 1)
	s.kubectl("delete deployment/web --cascade=orphan")
	s.create("web", 5, rule)
	s.awaitWrites("web", 2)
	s.settle()
	s.curfewDid("web", step{size: 0}, step{size: 0})
	if got := s.get("web").Annotations[harness.Remembered]; got != "5" {
		t.Errorf("remembered %q, want 5", got)
	}
}

// annotate sets annotations as the owner.
func (s *space) annotate(name string, set annotations) {
	s.Helper()
	s.update(name, func(d *appsv1.Deployment) {
		for key, value := range set {
			d.Annotations[key] = value
		}
	})
}
