package harness

import (
	"context"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"

	"k8s.io/client-go/rest"

	"curfew/e2e/cluster"
)

// Proxy stands between one Curfew and the API server, so that something can
// happen between the moment Curfew decides and the moment its write arrives.
type Proxy struct {
	server *httptest.Server
}

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
		FlushInterval: -1, // a watch must not be held back
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		before(r)
		reverse.ServeHTTP(w, r)
	}))
	server.EnableHTTP2 = true
	// TLS, for client-go sends no token without it.
	server.StartTLS()
	return &Proxy{server: server}, nil
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
