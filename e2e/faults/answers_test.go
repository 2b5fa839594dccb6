package faults_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"curfew/e2e/harness"
)

// TestAnswers: the API server answers what it should not, across a boundary. The
// boundary is kept soon after it is itself again.
func TestAnswers(t *testing.T) {
	t.Parallel()
	const trouble = 3 * time.Second
	write := func(r *http.Request) bool {
		return r.Method == http.MethodPatch && strings.HasSuffix(r.URL.Path, "/deployments/web")
	}
	watch := func(r *http.Request) bool {
		return r.URL.Query().Get("watch") != "" && strings.HasSuffix(r.URL.Path, "/deployments")
	}
	everything := func(*http.Request) bool { return true }
	for name, c := range map[string]struct {
		to     func(*http.Request) bool
		answer harness.Answer
		within time.Duration // after the trouble; 0: within 2 s in spite of it
		times  int64         // it is met so often at the most; 0: as often as it lasts
	}{
		"429 with Retry-After": {write, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			harness.Refuse(w, http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, "busy", time.Second)
		}, 2 * time.Second, 0},
		"429 with a Retry-After of minutes": {write, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			harness.Refuse(w, http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, "busy", 5*time.Minute)
		}, 25 * time.Second, 0},
		"429": {write, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			harness.Refuse(w, http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, "busy", 0)
		}, 2 * trouble, 0},
		"500": {write, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			harness.Refuse(w, http.StatusInternalServerError, metav1.StatusReasonInternalError, "a mishap", 0)
		}, 2 * trouble, 0},
		"503 with Retry-After": {write, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			harness.Refuse(w, http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable, "later", time.Second)
		}, 2 * time.Second, 0},
		"502 that is not the API server's": {write, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			http.Error(w, "<html>Bad Gateway</html>", http.StatusBadGateway)
		}, 2 * trouble, 0},
		"503 to everything": {everything, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			harness.Refuse(w, http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable, "later", 0)
		}, 2 * trouble, 0},
		"a storm of 409": {write, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			harness.Refuse(w, http.StatusConflict, metav1.StatusReasonConflict, "the object has been modified", 0)
		}, 2 * trouble, 0},
		"the answer is lost": {write, func(_ http.ResponseWriter, r *http.Request, pass http.Handler) {
			harness.Lose(r, pass)
		}, 0, 0},
		"the answer is 504 and it was done": {write, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
			defer func() {
				_ = recover()
				harness.Refuse(w, http.StatusGatewayTimeout, metav1.StatusReasonTimeout, "too slow", 0)
			}()
			harness.Lose(r, pass)
		}, 0, 0},
		"the request is lost": {write, func(http.ResponseWriter, *http.Request, http.Handler) {
			panic(http.ErrAbortHandler)
		}, 2 * trouble, 0},
		"an answer that is none": {write, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"kind": "Deploy`))
		}, 2 * trouble, 0},
		"410 to watches": {watch, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			harness.Refuse(w, http.StatusGone, metav1.StatusReasonExpired, "too old resource version", 0)
		}, 0, 5},
		"410 in a watch": {watch, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"type": "ERROR", "object": {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Expired", "code": 410, "message": "too old resource version"}}` + "\n"))
		}, 0, 5},
		"watches that end at once": {watch, func(http.ResponseWriter, *http.Request, http.Handler) {
			panic(http.ErrAbortHandler)
		}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.within > 2*trouble {
				needTime(t)
			}
			s := newStage(t)
			proxy := s.proxy()
			curfew := s.leader(s.start(s.kubeconfig(proxy), usual...))
			night := harness.WindowIn(4*time.Second, trouble+c.within+3*time.Second)
			web := s.create("web", night.Rule("0"))

			s.sleepUntil(night.Start.Add(-time.Second))
			var met atomic.Int64
			proxy.Answer(func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
				if !c.to(r) || met.Add(1) > c.times && c.times > 0 {
					pass.ServeHTTP(w, r)
					return
				}
				c.answer(w, r, pass)
			})
			proxy.Disconnect() // so that watches begin anew
			due, within := night.Start, 2*time.Second
			if c.within > 0 {
				due, within = night.Start.Add(trouble), c.within
			}
			s.sleepUntil(night.Start.Add(trouble))
			proxy.Answer(nil)
			s.awaitSize("web", 0)
			s.awaitSize("web", 3)
			s.settle()
			if t.Logf("%d requests were answered so", met.Load()); met.Load() == 0 {
				t.Error("nothing has met the trouble")
			}
			s.stays(curfew)
			s.judge(harness.Case{Before: web, Transitions: []harness.Transition{
				{Size: 0, From: due, Within: within}, {Size: 3, From: night.End, Within: 2 * time.Second},
			}})
		})
	}
}
