package admission

import (
	"math/rand/v2"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"curfew/scaler/annotation"
	"curfew/timewindow"
)

func compile(t testing.TB, release string) *Evaluator {
	t.Helper()
	policy, err := Read(Path())
	if err != nil {
		t.Fatal(err)
	}
	e, err := Compile(policy, release)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func deployment(annotations map[string]string) *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default", Annotations: annotations}}
}

func (e *Evaluator) review(t testing.TB, key, text string) Verdict {
	t.Helper()
	v, err := e.Review(t.Context(), deployment(map[string]string{key: text}), nil)
	if err != nil {
		t.Fatalf("%s: %.200q: %v", key, text, err)
	}
	return v
}

var written = []string{annotation.Windows, annotation.Timezone, annotation.Replicas, annotation.OverrideKey, annotation.Paused, annotation.Grace}

// TestNothingUnderstoodIsRefused is the law: whatever Curfew reads without complaint, the policy lets pass.
func TestNothingUnderstoodIsRefused(t *testing.T) {
	t.Parallel()
	e := compile(t, "1.37")
	texts, err := Texts()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range timewindow.ZoneNames() {
		texts = append(texts, name, "always "+name+" = 0")
	}
	for _, key := range written {
		r := rand.New(rand.NewPCG(1, 2))
		understood, refused, both := 0, 0, 0
		try := func(text string) {
			good := Understood(key, text)
			if strings.ContainsRune(text, '\ufffd') {
				return
			}
			v := e.review(t, key, text)
			switch {
			case good && len(v.Messages) > 0:
				t.Errorf("%s: %q is understood, but the policy says %q", key, text, v.Messages)
			case good:
				understood++
			default:
				refused++
				if len(v.Messages) > 0 {
					both++
				}
			}
		}
		for _, text := range texts {
			try(text)
		}
		own := 0
		for range 2000 {
			text := Random(r, key)
			if Understood(key, text) {
				own++
			}
			try(text)
			for range 3 {
				try(Mutate(r, text))
			}
		}
		t.Logf("%s: %d texts are understood, %d of them made up; of %d mistakes the policy sees %d", key, understood, own, refused, both)
	}
}

func TestX(t *testing.T) {
	e := compile(t, "1.37")
	rules, zones, err := Refusals()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rules {
		v := e.review(t, annotation.Windows, r)
		t.Logf("%q: %q", r, v.Messages)
	}
	for _, r := range zones {
		v := e.review(t, annotation.Timezone, r)
		t.Logf("%q: %q", r, v.Messages)
	}
	_ = corev1.Namespace{}
}
