package kinds_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"curfew/e2e/harness"
)

// TestKinds plays every scenario with every kind.
func TestKinds(t *testing.T) {
	t.Parallel()
	for _, r := range rows {
		t.Run(r.kind, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, r)
			curfew := s.lead()
			t.Run("side by side", func(t *testing.T) {
				for name, play := range scenes {
					t.Run(name, func(t *testing.T) {
						t.Parallel()
						play(s.in(t), strings.ReplaceAll(name, " ", "-"))
					})
				}
			})
			if t.Failed() {
				return
			}
			s.restarts(curfew)
			s.releases()
		})
	}
}

// open is a window that has been open for long.
func (s *stage) open() annotations {
	return annotations{harness.Windows: harness.WindowIn(-time.Hour, 3*time.Hour).Rule(s.rule)}
}

// scenes are the scenarios that share a Curfew. Each has an object of its name.
var scenes = map[string]func(s *stage, name string){
	"window": func(s *stage, name string) {
		window := harness.WindowIn(4*time.Second, 5*time.Second)
		before := s.create(name, annotations{harness.Windows: window.Rule(s.rule)})
		s.awaitState(name, "normal")
		s.awaitSize(name, s.asleep)
		s.awaitEvent(name, "WindowStarted")
		s.awaitState(name, "window")
		s.awaitSize(name, s.awake)
		s.awaitEvent(name, "WindowEnded")
		s.settle()
		writes := s.wrote(name, 2)
		for i, at := range []time.Time{window.Start, window.End} {
			if late := writes[i].Done.Sub(at); late < 0 || late > 3*time.Second {
				s.Errorf("boundary %d was kept %v after its time", i+1, late)
			}
		}
		s.unchanged(before)
	},
	"drift": func(s *stage, name string) {
		before := s.create(name, s.open())
		s.awaitSize(name, s.asleep)
		s.patch(name, s.drift)
		s.awaitEvent(name, "DriftCorrected")
		s.awaitSize(name, s.asleep)
		s.annotate(name, harness.Windows, "none")
		s.awaitSize(name, s.awake)
		s.wrote(name, 3)
		s.unchanged(before)
	},
	"opt-out": func(s *stage, name string) {
		before := s.create(name, s.open())
		s.awaitSize(name, s.asleep)
		s.annotate(name, harness.Windows, "none")
		s.awaitSize(name, s.awake)
		s.awaitClean(name)
		s.wrote(name, 2)
		s.unchanged(before)
	},
	"override": func(s *stage, name string) {
		until := time.Now().Add(5 * time.Second).UTC().Truncate(time.Second)
		s.create(name, annotations{harness.Override: s.rule + " until " + until.Format(time.RFC3339)})
		s.awaitSize(name, s.asleep)
		s.awaitEvent(name, "Overridden")
		s.awaitSize(name, s.awake)
		s.awaitClean(name)
		if late := s.wrote(name, 2)[1].Done.Sub(until); late < 0 || late > 3*time.Second {
			s.Errorf("it ended %v after its time", late)
		}
	},
	"paused": func(s *stage, name string) {
		rules := s.open()
		rules[harness.Paused] = "true"
		s.create(name, rules)
		s.awaitState(name, "paused")
		s.annotate(name, harness.Paused, "false")
		s.awaitSize(name, s.asleep)
		s.wrote(name, 1)
	},
	"contested": func(s *stage, name string) {
		s.create(name, s.open())
		s.awaitSize(name, s.asleep)
		contested := func(u *unstructured.Unstructured) bool {
			status := harness.ParseStatus(u.GetAnnotations()[harness.Status])
			return status != nil && status.State == "contested"
		}
		for tries := 0; !contested(s.get(name)); tries++ {
			if tries == 10 {
				s.Fatal("it is put back again and again without a word")
			}
			s.patch(name, s.drift)
			s.await(name, "put back, or contested", func(u *unstructured.Unstructured) bool { return s.size(u) == s.asleep || contested(u) })
		}
		s.awaitEvent(name, "ReplicasContested")
	},
	"deleted": func(s *stage, name string) {
		first := s.create(name, s.open())
		s.awaitSize(name, s.asleep)
		atOnce := metav1.DeletePropagationBackground // some kinds would otherwise wait for what they own
		s.must(s.objects.Delete(s.ctx, name, metav1.DeleteOptions{PropagationPolicy: &atOnce}))
		s.create(name, nil) // another one of the same name has nothing to do with it
		s.settle()
		if u := s.get(name); u.GetUID() == first.GetUID() || s.size(u) != s.awake {
			s.Errorf("the new one has the size %s", s.size(u))
		}
		s.wrote(name, 1)
	},
	"broken": func(s *stage, name string) {
		before := s.create(name, annotations{harness.Windows: "Mon-Fri 8-20 = " + s.rule})
		if status := s.awaitState(name, "invalid"); !strings.Contains(status.Message, harness.Windows) {
			s.Errorf("the message is %q", status.Message)
		}
		s.awaitEvent(name, "InvalidAnnotation")
		s.settle()
		s.wrote(name, 0)
		s.unchanged(before)
	},
	"mistake of the kind": func(s *stage, name string) {
		if s.mistake == "" {
			s.Skip("there is none")
		}
		s.create(name, annotations{harness.Windows: "always = " + s.mistake})
		if status := s.awaitState(name, "invalid"); !strings.Contains(status.Message, harness.Windows) || !strings.Contains(status.Message, s.mistake) {
			s.Errorf("the message is %q", status.Message)
		}
		s.awaitEvent(name, "InvalidAnnotation")
		s.wrote(name, 0)
	},
	"owned": func(s *stage, name string) {
		controller, err := s.cluster.Client.CoreV1().ConfigMaps(s.namespace).Get(s.ctx, "kube-root-ca.crt", metav1.GetOptions{})
		s.must(err) // whoever is there, so that the garbage collector leaves what it owns
		owner := metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: controller.Name, UID: controller.UID, Controller: new(bool)}
		*owner.Controller = true
		before := s.createAs(name, s.open(), func(u *unstructured.Unstructured) { u.SetOwnerReferences([]metav1.OwnerReference{owner}) })
		status := s.awaitState(name, "invalid")
		if want := "belongs to the ConfigMap kube-root-ca.crt"; !strings.Contains(status.Message, want) {
			s.Errorf("the message is %q, want in it: %s", status.Message, want)
		}
		s.settle()
		s.wrote(name, 0)
		s.unchanged(before)
	},
}

// restarts: what was asleep when Curfew was killed wakes when there is one again,
// and what is as it should be is not written.
func (s *stage) restarts(curfew *harness.Curfew) {
	s.Helper()
	window := harness.WindowIn(-time.Hour, time.Hour+6*time.Second)
	s.create("missed", annotations{harness.Windows: window.Rule(s.rule)})
	s.create("held", s.open())
	s.awaitSize("missed", s.asleep)
	s.awaitState("held", "window")
	curfew.Kill()
	s.sleepUntil(window.End.Add(time.Second))
	s.lead()
	s.awaitSize("missed", s.awake)
	s.settle()
	s.wrote("missed", 2)
	s.wrote("held", 1)
}

// releases: a Curfew that leaves gives everything back, and nothing of it stays.
func (s *stage) releases() {
	s.Helper()
	curfew := s.run("--release")
	if code, err := curfew.Wait(s.ctx); err != nil || code != 0 {
		s.Fatalf("exit code %d, %v", code, err)
	}
	for _, name := range []string{"held", "window", "opt-out", "paused"} {
		s.awaitSize(name, s.awake)
		s.awaitClean(name)
	}
}
