package harness

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"curfew/e2e/cluster"
)

// Proxy stands between one Curfew and the API server, so that something can
// happen between the moment Curfew decides and the moment its write arrives.
type Proxy struct {
	server *httptest.Server
	answer atomic.Pointer[Answer]
}

// Answer answers a request in the API server's stead, or has it answer by
// calling pass.
type Answer func(w http.ResponseWriter, r *http.Request, pass http.Handler)

// NewProxy starts a proxy that calls before with each request and then passes
// it on. Before may take its time, change the cluster, and must be safe for
// concurrent use.
func NewProxy(c *cluster.Cluster, before func(*http.Request)) (*Proxy, error) {
	target, err := url.Parse(c.Config.Host)
	if err != nil {
		return nil, err
	}
	// The caller's token is passed on; ours must not be added.
	transport, err := rest.TransportFor(rest.AnonymousClientConfig(c.Config))
	if err != nil {
		return nil, err
	}
	reverse := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:     transport,
		FlushInterval: -1,                         // a watch must not be held back
		ErrorLog:      log.New(io.Discard, "", 0), // whoever cuts connections knows
	}
	p := &Proxy{}
	p.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		before(r)
		if answer := p.answer.Load(); answer != nil {
			(*answer)(w, r, reverse)
			return
		}
		reverse.ServeHTTP(w, r)
	}))
	p.server.Config.ErrorLog = log.New(io.Discard, "", 0) // that an answer was cut off is meant
	p.server.EnableHTTP2 = true
	// TLS, for client-go sends no token without it.
	p.server.StartTLS()
	return p, nil
}

// Answer has requests from now on answered by a function, which must be safe for
// concurrent use; nil ends that.
func (p *Proxy) Answer(answer Answer) {
	if answer == nil {
		p.answer.Store(nil)
		return
	}
	p.answer.Store(&answer)
}

// Refuse answers as the API server would that refuses a request. A Retry-After
// of 0 is none.
func Refuse(w http.ResponseWriter, code int, reason metav1.StatusReason, message string, retryAfter time.Duration) {
	if retryAfter > 0 {
		w.Header().Set("Retry-After", fmt.Sprint(int(retryAfter.Seconds())))
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
		Status:   metav1.StatusFailure, Code: int32(code), Reason: reason, Message: message,
	})
}

// Lose has a request carried out, and its answer lost on the way.
func Lose(r *http.Request, pass http.Handler) {
	pass.ServeHTTP(httptest.NewRecorder(), r)
	panic(http.ErrAbortHandler)
}

// WriteKubeconfig is like the function of that name, with the proxy in between.
func (p *Proxy) WriteKubeconfig(ctx context.Context, c *cluster.Cluster, namespace, path string) error {
	token, err := Token(ctx, c, namespace)
	if err != nil {
		return err
	}
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.server.Certificate().Raw})
	return cluster.WriteKubeconfig(path, p.server.URL, authority, token)
}

// Disconnect ends every connection through the proxy, which goes on.
func (p *Proxy) Disconnect() { p.server.CloseClientConnections() }

// Close ends the proxy and every connection through it.
func (p *Proxy) Close() {
	p.server.CloseClientConnections()
	p.server.Close()
}
