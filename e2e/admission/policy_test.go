package admission

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"curfew/scaler/annotation"
	"curfew/scaler/kind"
	"curfew/timewindow"
)

// releases are those whose CEL the policy is compiled for. The first is the oldest that
// Curfew is said to run on.
var releases = []string{"1.36", "1.37"}

func compile(t testing.TB) *Evaluator {
	t.Helper()
	policy, err := Read(Path())
	if err != nil {
		t.Fatal(err)
	}
	e, err := Compile(policy, releases[0])
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// object is one of a kind, or a Namespace.
func object(of *kind.Kind, annotations map[string]string) runtime.Object {
	if of == nil {
		return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "web", Annotations: annotations}}
	}
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(of.GroupVersionKind())
	u.SetName("web")
	u.SetAnnotations(annotations)
	return u
}

func deployment(annotations map[string]string) runtime.Object {
	return object(kind.Deployment, annotations)
}

func (e *Evaluator) review(t testing.TB, object, old runtime.Object) Verdict {
	t.Helper()
	v, err := e.Review(t.Context(), object, old)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// says is what the policy says about a new Deployment with that annotation.
func (e *Evaluator) says(t testing.TB, key, text string) []string {
	t.Helper()
	return e.review(t, deployment(map[string]string{key: text}), nil).Messages
}

func TestCompiles(t *testing.T) {
	t.Parallel()
	policy, err := Read(Path())
	if err != nil {
		t.Fatal(err)
	}
	if f := policy.Spec.FailurePolicy; f == nil || *f != admissionregistrationv1.Ignore {
		t.Error("a policy that breaks must not stop a roll-out")
	}
	for _, release := range releases {
		if _, err := Compile(policy, release); err != nil {
			t.Errorf("%s: %v", release, err)
		}
	}
}

// TestEveryKindIsMatched: none of those that Curfew knows gets round the policy.
func TestEveryKindIsMatched(t *testing.T) {
	t.Parallel()
	policy, err := Read(Path())
	if err != nil {
		t.Fatal(err)
	}
	has := func(list []string, what string) bool {
		return slices.Contains(list, what) || slices.Contains(list, "*")
	}
	for _, k := range kind.Known() {
		if !slices.ContainsFunc(policy.Spec.MatchConstraints.ResourceRules, func(r admissionregistrationv1.NamedRuleWithOperations) bool {
			return has(r.APIGroups, k.Resource.Group) && has(r.APIVersions, k.Resource.Version) && slices.Contains(r.Resources, k.Resource.Resource) && len(r.Operations) == 2
		}) {
			t.Errorf("%s are not looked at", k)
		}
	}
}

// TestNothingUnderstoodIsRefused is the law: whatever Curfew reads without complaint, the
// policy lets pass. CURFEW_LONG=1 makes up twenty times as many texts.
func TestNothingUnderstoodIsRefused(t *testing.T) {
	t.Parallel()
	for _, of := range Kinds() {
		t.Run(of.Name, func(t *testing.T) {
			t.Parallel()
			nothingUnderstoodIsRefused(t, of)
		})
	}
}

// sized are the annotations in which kinds take other sizes.
var sized = []string{annotation.Windows, annotation.OverrideKey, annotation.Replicas, annotation.HPA}

// nothingUnderstoodIsRefused is the law for one kind. What is alike for all kinds is seen on Deployments alone.
func nothingUnderstoodIsRefused(t *testing.T, of *kind.Kind) {
	e := compile(t)
	texts, err := Texts()
	if err != nil {
		t.Fatal(err)
	}
	keys := sized
	if of == kind.Deployment {
		keys = Keys()
		texts = append(texts, timewindow.ZoneNames()...)
		for some := range slices.Chunk(timewindow.ZoneNames(), 100) {
			texts = append(texts, "always "+strings.Join(some, " = 0; always ")+" = 0")
		}
	}
	madeUp := 100
	if os.Getenv("CURFEW_LONG") != "" {
		madeUp *= 20
	}
	for _, key := range keys {
		r := rand.New(rand.NewPCG(1, 2))
		understood, mistakes, seen := 0, 0, 0
		try := func(text string) {
			on := map[string]string{key: text}
			good, says := Understood(of, on), e.review(t, object(of, on), nil).Messages
			switch {
			case good && len(says) > 0:
				t.Errorf("%s: %q is understood, but the policy says %q", key, text, says)
			case good:
				understood++
			case len(says) > 0:
				mistakes++
				seen++
			default:
				mistakes++
			}
			if on[annotation.HPA] = annotation.Floor; !good && Understood(of, on) { // a range, where its autoscaler's floor is meant
				if says := e.review(t, object(of, on), nil).Messages; len(says) > 0 {
					t.Errorf("%s with %s: %q is understood, but the policy says %q", key, annotation.HPA, text, says)
				}
			}
		}
		for _, text := range texts {
			on := map[string]string{key: text}
			if Understood(of, on) {
				try(text)
			}
			if of != kind.Deployment || len(annotation.ParseNamespace(on)) > 0 {
				continue
			}
			if says := e.review(t, object(nil, on), nil).Messages; len(says) > 0 {
				t.Errorf("%s on a Namespace: %q is understood, but the policy says %q", key, text, says)
			}
		}
		for range madeUp {
			text := Random(r, key)
			try(text)
			try(Mutate(r, text))
		}
		t.Logf("%s: %d texts are understood; of %d mistakes made up, the policy sees %d", key, understood, mistakes, seen)
		if of == kind.Deployment && (understood < 20 || mistakes < 20) {
			t.Errorf("%s: too few texts to mean anything: %d and %d", key, understood, mistakes)
		}
	}
}

// TestRefusals holds the list of what CEL cannot judge to be exact: of the mistakes that
// the parser's own tests know, these get past the policy and no others.
func TestRefusals(t *testing.T) {
	t.Parallel()
	e := compile(t)
	rules, zones, err := Refusals()
	if err != nil {
		t.Fatal(err)
	}
	past := map[string]bool{}
	for key, texts := range map[string][]string{annotation.Windows: rules, annotation.Timezone: zones} {
		for _, text := range texts {
			if !Understood(kind.Deployment, map[string]string{key: text}) && len(e.says(t, key, text)) == 0 {
				past[text] = true
			}
		}
	}
	want := map[string]bool{}
	for _, texts := range Beyond() {
		for _, text := range texts {
			want[text] = true
		}
	}
	for text := range past {
		if !want[text] {
			t.Errorf("%q gets past the policy", text)
		}
	}
	for text := range want {
		if !past[text] {
			t.Errorf("%q does not get past the policy, or is in no test of the parser's", text)
		}
	}
}

// TestMessages: a message names the annotation, the text and the cure.
func TestMessages(t *testing.T) {
	t.Parallel()
	e := compile(t)
	for _, m := range Mistakes() {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			if got := e.review(t, object(m.Kind, m.Annotations), nil).Messages; !slices.Equal(got, []string{m.Message}) {
				t.Errorf("the policy says\n%q, want\n%q", got, m.Message)
			}
		})
	}
}

// TestWhatIsLookedAt: only what somebody has written or changed.
func TestWhatIsLookedAt(t *testing.T) {
	t.Parallel()
	e := compile(t)
	type notes = map[string]string
	const bad, worse = "Mon-Fri 8-20 = 0", "Mon-Fri 9-17 = 0"
	for name, c := range map[string]struct {
		old, new notes // no old: it is created
		looked   bool
		says     int
	}{
		"no annotation at all":                        {nil, nil, false, 0},
		"none of Curfew's":                            {nil, notes{"other/windows": bad, "curfew": bad}, false, 0},
		"created with a mistake":                      {nil, notes{annotation.Windows: bad}, true, 1},
		"created without":                             {nil, notes{annotation.Windows: "always = 0"}, true, 0},
		"an old mistake is not the updater's":         {notes{annotation.Windows: bad}, notes{annotation.Windows: bad}, false, 0},
		"nor where something else changes":            {notes{annotation.Windows: bad, "x": "1"}, notes{annotation.Windows: bad, "x": "2"}, false, 0},
		"nor where another annotation of ours does":   {notes{annotation.Windows: bad}, notes{annotation.Windows: bad, annotation.Replicas: "3"}, true, 0},
		"an unknown key that was there":               {notes{"curfew/window": bad}, notes{"curfew/window": bad, annotation.Replicas: "3"}, true, 0},
		"another mistake in its place":                {notes{annotation.Windows: bad}, notes{annotation.Windows: worse}, true, 1},
		"a mistake in what was right":                 {notes{annotation.Windows: "always = 0"}, notes{annotation.Windows: bad}, true, 1},
		"a first annotation":                          {notes{}, notes{annotation.Windows: bad}, true, 1},
		"mended":                                      {notes{annotation.Windows: bad}, notes{annotation.Windows: "always = 0"}, true, 0},
		"removed":                                     {notes{annotation.Windows: bad, annotation.Paused: "x"}, notes{annotation.Paused: "x"}, false, 0},
		"Curfew writes what it remembers":             {notes{annotation.Windows: bad}, notes{annotation.Windows: bad, annotation.StatusKey: "{", annotation.Remembered: "x", annotation.RememberedPause: "x"}, false, 0},
		"two mistakes in two annotations":             {nil, notes{annotation.Windows: bad, annotation.Paused: "x"}, true, 2},
		"what Curfew wrote comes along in a manifest": {nil, notes{annotation.Windows: bad, annotation.StatusKey: "{"}, true, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var old runtime.Object
			if c.old != nil {
				old = deployment(c.old)
			}
			if v := e.review(t, deployment(c.new), old); v.Looked != c.looked || len(v.Messages) != c.says {
				t.Errorf("looked at: %v, and it says %q; want %v and %d messages", v.Looked, v.Messages, c.looked, c.says)
			}
		})
	}
}

// TestCost: what the longest texts cost that the policy reads, and that it does not fail at longer ones. The figures
// in docs/admission.md are from here.
func TestCost(t *testing.T) {
	t.Parallel()
	e := compile(t)
	for _, shape := range slices.Sorted(maps.Keys(Shapes)) {
		for _, limit := range []int{0, 8 << 10, 16 << 10, 17 << 10, 66 << 10, 250 << 10} {
			text := Fill(Shapes[shape], limit)
			on := map[string]string{annotation.Windows: text}
			v := e.review(t, deployment(on), nil)
			t.Logf("%-20s %6d characters, %3d rules: %9d", shape, len(text), strings.Count(text, "=")-strings.Count(text, "=="), v.Cost.All)
			if good := Understood(kind.Deployment, on); good && len(v.Messages) > 0 {
				t.Errorf("%s, %d characters: the policy says %q", shape, len(text), v.Messages)
			}
			if len(text) > 64<<10 && len(v.Messages) == 0 {
				t.Errorf("%s: nothing is said about %d characters", shape, len(text))
			}
			for _, of := range []*kind.Kind{kind.CronJob, kind.Autoscaler} {
				t.Logf("%-20s %6d characters, %s: %d", shape, len(text), of.Name, e.review(t, object(of, on), nil).Cost.All)
			}
		}
	}
	many := map[string]string{}
	for i := range 2000 {
		many[fmt.Sprint("example.com/key-", i)] = strings.Repeat("x", 100)
	}
	was := maps.Clone(many)
	was["curfew/windows"] = "always = 0"
	before := deployment(was)
	v := e.review(t, deployment(many), before)
	t.Logf("an object with 2000 annotations of others: %d for the match conditions", v.Cost.Conditions)
	if v.Looked {
		t.Error("an object without annotations of Curfew's is looked at")
	}
}

// BenchmarkReview is the time that the API server spends on one write.
func BenchmarkReview(b *testing.B) {
	e := compile(b)
	for name, text := range map[string]string{"one rule": "Mon-Fri 20:00-06:00 = 0", "8 KiB": Fill(Shapes["days and a span"], 8<<10), "16 KiB": Fill(Shapes["as bad as it gets"], 16<<10)} {
		looked := deployment(map[string]string{annotation.Windows: text})
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				e.review(b, looked, nil)
			}
		})
	}
	b.Run("nothing of Curfew's", func(b *testing.B) {
		stranger := deployment(map[string]string{"example.com/owner": "somebody"})
		for b.Loop() {
			e.review(b, stranger, nil)
		}
	})
}
