package e2e_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"curfew/e2e/harness"
)

// Two writers that disagree must not spin: Curfew puts its size back more and
// more slowly, names the other one and the cure, and is still on time when its
// own mind changes.

// contest is how long the other writer goes on, and how many corrections Curfew
// may make meanwhile: four at once, then with waits of 10, 20, 40 s between.
// CURFEW_LONG=1 makes it two minutes.
func contest() (length time.Duration, corrections int) {
	if os.Getenv("CURFEW_LONG") != "" {
		return 2 * time.Minute, 8
	}
	return 40 * time.Second, 7
}

// TestContested: a tool sets 3 every second in a window of 0, and goes on beyond
// its end.
func TestContested(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		replicas string                            // curfew/replicas
		apply    func(s *space, rules annotations) // what the tool does every second
		after    int32                             // the size at the window's end
		cure     []string                          // what Curfew says
	}{
		"a forced apply": {
			apply: func(s *space, rules annotations) { s.applyAs("argocd-controller", "web", 3, rules) },
			after: 3,
			cure:  []string{`"argocd-controller"`, "ignoreDifferences"},
		},
		"an apply that contradicts curfew/replicas": {
			replicas: "5",
			apply:    func(s *space, rules annotations) { s.applyAs("kustomize-controller", "web", 3, rules) },
			after:    5,
			cure:     []string{`"kustomize-controller"`, "Git"},
		},
		"a tool that strips what it does not know": {
			apply: func(s *space, rules annotations) { s.replaceAs("argocd-controller", "web", 3, rules) },
			after: 3,
			cure:  []string{`"argocd-controller"`, "ignoreDifferences"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSpace(t)
			s.needAudit()
			length, most := contest()
			night := harness.WindowIn(-time.Hour, time.Hour+length+2*time.Second)
			rules := annotations{harness.Windows: night.Rule("0")}
			if test.replicas != "" {
				rules[harness.Replicas] = test.replicas
			}
			s.create("web", 3, rules)
			s.awaitWrites("web", 1)

			begun := time.Now()
			applied := 0
			for next := begun; next.Before(night.End.Add(3 * time.Second)); next = next.Add(time.Second) {
				s.sleepUntil(next)
				test.apply(s, rules)
				applied++
			}
			// The tool has had the last word, and the window is over.
			writes := s.writes("web")
			inside := slices.DeleteFunc(harness.Resizes(writes), func(w harness.Write) bool { return !w.Received.Before(night.End) })
			t.Logf("the tool wrote %d times, Curfew %d times in the window, %d in all", applied, len(inside), len(writes))
			if n := len(inside) - 1; n < 4 || n > most {
				t.Errorf("Curfew put its size back %d times in %v, want 4 to %d", n, length, most)
			}
			for i, write := range inside {
				if *write.Replicas != 0 {
					t.Errorf("a write of %d in the window: %s", *write.Replicas, write)
				}
				if memory := write.Annotations[harness.Remembered]; test.replicas == "" && memory != nil && *memory != "3" {
					t.Errorf("write %d remembers %q, want 3: %s", i+1, *memory, write)
				}
			}
			s.saysContested(inside, test.cure)

			// At the end 3 is right by itself, or Curfew's word comes at once.
			index := slices.IndexFunc(writes, func(w harness.Write) bool { return !w.Received.Before(night.End) })
			if got := harness.Size(s.get("web")); test.after != 3 {
				if index < 0 || writes[index].Replicas == nil || *writes[index].Replicas != test.after {
					t.Errorf("no write of %d at the window's end", test.after)
				} else if late := writes[index].Done.Sub(night.End); late > prompt {
					t.Errorf("%d comes %v after the window's end", test.after, late)
				}
			} else if got != 3 {
				t.Errorf("size %d after the window, want 3", got)
			}
			for _, write := range writes {
				if size := write.Replicas; !write.Received.Before(night.End) && size != nil && *size != test.after {
					t.Errorf("a write of %d after the window: %s", *size, write)
				}
			}
			event := s.awaitEvent("web", "ReplicasContested")
			if event.Type != "Warning" {
				t.Errorf("the event is of type %s, want Warning", event.Type)
			}
			for _, want := range test.cure {
				if !strings.Contains(event.Note, want) {
					t.Errorf("the event does not mention %q: %s", want, event.Note)
				}
			}
		})
	}
}

// saysContested checks that the last of some writes says who contests the size,
// and the cure.
func (s *space) saysContested(writes []harness.Write, says []string) {
	s.Helper()
	last := writes[len(writes)-1]
	status := last.Status()
	for i := len(writes) - 1; i >= 0 && status == nil; i-- { // the same status is not written twice
		status = writes[i].Status()
	}
	if status == nil || status.State != "contested" {
		s.Fatalf("the status is not that of a contest: %s", last)
	}
	for _, want := range says {
		if !strings.Contains(status.Message, want) {
			s.Errorf("the status does not mention %q: %s", want, status.Message)
		}
	}
}

// TestContestedAndOver: the other writer stops before the window does. Curfew has
// the last word, and the size comes back on time.
func TestContestedAndOver(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	night := harness.WindowIn(-time.Hour, time.Hour+35*time.Second)
	rules := annotations{harness.Windows: night.Rule("0")}
	s.create("web", 3, rules)
	s.awaitWrites("web", 1)

	// Six times: the first five are put back before the next, the sixth has to
	// wait for ten seconds.
	for range 6 {
		s.applyAs("argocd-controller", "web", 3, rules)
		s.sleepUntil(time.Now().Add(time.Second))
	}
	waiting := time.Now()
	contested := s.await("web", "contested, and put back in the end", func(d *appsv1.Deployment) bool {
		status := harness.StatusOf(d)
		return harness.Size(d) == 0 && status != nil && status.State == "contested" && d.Annotations[harness.Remembered] == "3"
	})
	if waited := time.Since(waiting); waited < 3*time.Second {
		t.Errorf("put back after %v, want it to wait", waited)
	}
	if message := harness.StatusOf(contested).Message; !strings.Contains(message, "argocd-controller") {
		t.Errorf("the status names nobody: %s", message)
	}
	s.awaitSize("web", 3)
	s.settle()
	writes := harness.Resizes(s.writes("web"))
	last := writes[len(writes)-1]
	if late := last.Done.Sub(night.End); *last.Replicas != 3 || late < 0 || late > prompt {
		t.Errorf("the last write comes %v after the window's end: %s", late, last)
	}
	if status := harness.StatusOf(s.get("web")); status == nil || status.State != "normal" || status.Message != "" {
		t.Errorf("after the window the contest is not over: %+v", status)
	}
}

// TestContestedAndSilent: the other writer has the last word inside the window,
// and then nothing more is heard. While Curfew waits for its turn, its mind
// changes, and for that it does not wait.
func TestContestedAndSilent(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		open time.Duration                                  // how long the window is still open as it is made
		ends func(s *space, night harness.Window) time.Time // makes the window end, and tells when it does
	}{
		"the window ends": {
			open: 25 * time.Second, // the sixth wait is over after 32
			ends: func(_ *space, night harness.Window) time.Time { return night.End },
		},
		"the window is made to end sooner": {
			open: time.Minute,
			ends: func(s *space, night harness.Window) time.Time {
				night.End = time.Now().UTC().Add(4 * time.Second).Truncate(time.Second)
				s.annotate("web", annotations{harness.Windows: night.Rule("0")})
				return night.End
			},
		},
		"the rules are removed": {
			open: time.Minute,
			ends: func(s *space, _ harness.Window) time.Time {
				s.kubectl("annotate deployment/web curfew/windows-")
				return s.scaledAt("web")
			},
		},
		"the rule is given another size": {
			open: time.Minute,
			ends: func(s *space, night harness.Window) time.Time {
				s.annotate("web", annotations{harness.Windows: night.Rule("1")})
				return s.scaledAt("web")
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSpace(t)
			s.needAudit()
			night := harness.WindowIn(-time.Hour, time.Hour+test.open)
			s.create("web", 3, annotations{harness.Windows: night.Rule("0")})
			s.awaitWrites("web", 1)
			// Four corrections are free, then come waits of ten and twenty seconds.
			for i := range 6 {
				s.kubectl("scale deployment/web --replicas=7")
				if i < 5 {
					s.awaitSize("web", 0)
				}
			}
			s.settle()
			if got := harness.Size(s.get("web")); got != 7 {
				t.Fatalf("size %d while Curfew waits, want 7", got)
			}
			ends := test.ends(s, night)
			s.await("web", "Curfew's word", func(d *appsv1.Deployment) bool { return harness.Size(d) != 7 })
			s.settle()
			writes := harness.Resizes(s.writes("web"))
			last := writes[len(writes)-1]
			if late := last.Done.Sub(ends); late < 0 || late > prompt {
				t.Errorf("the last write comes %v after its moment, want less than %v: %s", late, prompt, last)
			}
			if *last.Replicas == 0 {
				t.Errorf("the last write is not what was asked for: %s", last)
			}
		})
	}
}

// TestContestedAfterARestart: a new leader finds the contest in the status. It
// does not begin it anew, and what it waits for is no reason to miss an end.
func TestContestedAfterARestart(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	s.needAudit()
	curfew := s.startLeader()
	night := harness.WindowIn(-time.Hour, 3*time.Hour)
	s.create("web", 3, annotations{harness.Windows: night.Rule("0")})
	s.awaitWrites("web", 1)
	for i := range 6 {
		s.kubectl("scale deployment/web --replicas=7")
		if i < 5 {
			s.awaitSize("web", 0)
		}
	}
	curfew.Kill()
	earlier := len(s.writes("web"))
	night.End = time.Now().UTC().Add(leaseDuration + 7*time.Second).Truncate(time.Second)
	s.annotate("web", annotations{harness.Windows: night.Rule("0")})
	s.startLeader()
	if time.Now().After(night.End.Add(-time.Second)) {
		t.Skip("this machine is too slow for the test: the window closed before the restart was done")
	}
	for time.Now().Before(night.End.Add(-time.Second)) {
		s.kubectl("scale deployment/web --replicas=7")
		s.sleepUntil(time.Now().Add(200 * time.Millisecond))
	}
	if writes := harness.Resizes(s.writes("web")[earlier:]); len(writes) > 1 {
		t.Errorf("the new leader begins the contest anew: %v", writes)
	}
	s.awaitSize("web", 3)
	s.settle()
	writes := harness.Resizes(s.writes("web"))
	if last := writes[len(writes)-1]; *last.Replicas != 3 || last.Received.Before(night.End) || last.Done.Sub(night.End) > prompt {
		t.Errorf("want 3 promptly at the window's end, got it %v after: %s", last.Done.Sub(night.End), last)
	}
}

// TestContestedNotes: a tool that throws away what Curfew notes on the object,
// and leaves the size alone, is a second writer too. Some tools look at once when
// an object has changed, so an answer to each would never end.
func TestContestedNotes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		window harness.Window
		size   int32
	}{
		"outside a window": {harness.WindowIn(2*time.Hour, time.Hour), 3},
		"inside a window":  {harness.WindowIn(-time.Hour, 3*time.Hour), 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSpace(t)
			s.needAudit()
			rules := annotations{harness.Windows: test.window.Rule("0"), harness.Replicas: "3"}
			s.create("web", 3, rules)
			s.awaitWrites("web", 1)
			const strips = 25
			begun := time.Now()
			for i := range strips {
				s.sleepUntil(begun.Add(time.Duration(i) * time.Second))
				s.replaceAs("argocd-controller", "web", test.size, rules)
			}
			s.settle()
			if n := len(s.writes("web")); n > 10 {
				t.Errorf("Curfew wrote %d times while its notes were thrown away %d times", n, strips)
			}
			if got := harness.Size(s.get("web")); got != test.size {
				t.Errorf("size %d, want %d", got, test.size)
			}
		})
	}
}

// TestContestedDelaysNobodyElse: ten contested Deployments, and others beside
// them are on time.
func TestContestedDelaysNobodyElse(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	const contested = 10
	always := annotations{harness.Windows: harness.WindowIn(-time.Hour, 3*time.Hour).Rule("0")}
	night := harness.WindowIn(12*time.Second, 5*time.Second)
	for i := range contested {
		s.create(fmt.Sprint("web-", i), 3, always)
	}
	s.create("quiet", 3, annotations{harness.Windows: night.Rule("0")})
	s.awaitState("quiet", "normal")
	for next := time.Now(); next.Before(night.End.Add(time.Second)); next = next.Add(time.Second) {
		s.sleepUntil(next)
		for i := range contested {
			s.applyAs("argocd-controller", fmt.Sprint("web-", i), 3, always)
		}
	}
	s.awaitWrites("quiet", 3)
	s.settle()
	s.curfewDid("quiet", adopted, at(night.Start, 0), at(night.End, 3))
	for i := range contested {
		s.awaitEvent(fmt.Sprint("web-", i), "ReplicasContested")
	}
}

// replaceAs writes the whole object as its manifest has it, and with that strips
// what Curfew has noted on it.
func (s *space) replaceAs(manager, name string, size int32, rules annotations) {
	s.Helper()
	for {
		deployment := s.get(name)
		wanted := harness.NewDeployment(name, size, rules)
		deployment.Annotations, deployment.Spec = wanted.Annotations, wanted.Spec
		_, err := s.deployments().Update(s.ctx, deployment, metav1.UpdateOptions{FieldManager: manager})
		if !isConflict(err) {
			s.must(err)
			return
		}
	}
}
