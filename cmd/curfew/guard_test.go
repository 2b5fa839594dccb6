package main

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/time/rate"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/cache"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	clocktesting "k8s.io/utils/clock/testing"
)

// guarded is a guard before an API server that knows who may and who may not.
type guarded struct {
	*guard
	clock   *clocktesting.FakePassiveClock
	reviews atomic.Int64
	access  authorizationv1.SubjectAccessReviewSpec // of the last review
	fails   map[string]bool                         // resources that cannot be created
	allowed bool                                    // whom the API server knows, may
}

func newGuarded() *guarded {
	client := fake.NewClientset()
	g := &guarded{clock: clocktesting.NewFakePassiveClock(time.Unix(0, 0)), fails: map[string]bool{}, allowed: true}
	g.guard = &guard{client: client, path: metricsPath, answers: cache.NewLRUExpireCacheWithClock(mostTokens, g.clock), failures: rate.Sometimes{Interval: time.Minute}}
	client.PrependReactor("create", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		g.reviews.Add(1)
		if g.fails[action.GetResource().Resource] {
			return true, nil, errors.New("forbidden")
		}
		switch o := action.(clienttesting.CreateAction).GetObject().(type) {
		case *authenticationv1.TokenReview:
			if o.Spec.Token == "known" {
				o.Status.Authenticated = true
				o.Status.User = authenticationv1.UserInfo{Username: "prometheus", UID: "7", Groups: []string{"monitoring"}, Extra: map[string]authenticationv1.ExtraValue{"a": {"b"}}}
			}
			return true, o, nil
		case *authorizationv1.SubjectAccessReview:
			g.access = o.Spec
			o.Status.Allowed = g.allowed
			return true, o, nil
		case *authorizationv1.SelfSubjectAccessReview:
			o.Status.Allowed = g.allowed
			return true, o, nil
		}
		return false, nil, nil
	})
	return g
}

// get is the status of an answer to a request with that header.
func (g *guarded) get(authorization string) int {
	r := httptest.NewRequest(http.MethodGet, metricsPath, nil)
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	w := httptest.NewRecorder()
	g.protect(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})).ServeHTTP(w, r)
	if (w.Code == http.StatusUnauthorized) != (w.Header().Get("WWW-Authenticate") != "") {
		return -w.Code
	}
	return w.Code
}

func TestGuard(t *testing.T) {
	for name, c := range map[string]struct {
		authorization string
		forbidden     bool
		fails         string
		want          int
		reviews       int64
	}{
		"no token":                 {"", false, "", 401, 0},
		"an empty token":           {"Bearer ", false, "", 401, 0},
		"not a bearer token":       {"Basic a25vd246", false, "", 401, 0},
		"a scheme that begins so":  {"Bearerknown", false, "", 401, 0},
		"a token nobody knows":     {"Bearer unknown", false, "", 401, 1},
		"of somebody who may":      {"Bearer known", false, "", 200, 2},
		"in small letters":         {"bearer known", false, "", 200, 2},
		"of somebody who may not":  {"Bearer known", true, "", 403, 2},
		"tokens cannot be checked": {"Bearer known", false, "tokenreviews", 503, 1},
		"nor can rights":           {"Bearer known", false, "subjectaccessreviews", 503, 2},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGuarded()
			g.allowed, g.fails[c.fails] = !c.forbidden, true
			if got := g.get(c.authorization); got != c.want {
				t.Errorf("status %d, want %d", got, c.want)
			}
			if got := g.reviews.Load(); got != c.reviews {
				t.Errorf("%d reviews, want %d", got, c.reviews)
			}
		})
	}
}

func TestGuardAsksAboutWhoeverTheTokenIsOf(t *testing.T) {
	g := newGuarded()
	g.get("Bearer known")
	a := g.access
	if a.User != "prometheus" || a.UID != "7" || len(a.Groups) != 1 || len(a.Extra["a"]) != 1 || a.ResourceAttributes != nil ||
		a.NonResourceAttributes == nil || *a.NonResourceAttributes != (authorizationv1.NonResourceAttributes{Path: "/metrics", Verb: "get"}) {
		t.Errorf("asked for %+v", a)
	}
}

func TestGuardRemembersForAWhile(t *testing.T) {
	g := newGuarded()
	after := func(d time.Duration, want int, reviews int64) {
		t.Helper()
		g.clock.SetTime(g.clock.Now().Add(d))
		g.reviews.Store(0)
		if got := g.get("Bearer known"); got != want || g.reviews.Load() != reviews {
			t.Errorf("status %d after %d reviews, want %d after %d", got, g.reviews.Load(), want, reviews)
		}
	}
	after(0, 200, 2)
	g.allowed = false
	after(allowedFor-time.Second, 200, 0)
	after(2*time.Second, 403, 2)
	g.allowed = true
	after(refusedFor-time.Second, 403, 0)
	after(2*time.Second, 200, 2)
	g.fails["tokenreviews"] = true
	after(allowedFor+time.Second, 503, 1)
	delete(g.fails, "tokenreviews")
	after(0, 200, 2)
}

func TestGuardKnowsWhatItMayNot(t *testing.T) {
	g := newGuarded()
	if err := g.check(context.Background()); err != nil {
		t.Error(err)
	}
	g.allowed = false
	if err := g.check(context.Background()); err == nil {
		t.Error("it does not notice")
	}
}
