package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/klog/v2"
)

// listen takes the address that a flag gives. There is no listener for "0", which is none.
func listen(ctx context.Context, flag, address string) (net.Listener, error) {
	if address == "0" || address == "" {
		return nil, nil
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	return listener, nil
}

// serve answers on a listener until the context ends.
func serve(ctx context.Context, flag string, listener net.Listener, handler http.Handler) {
	logger := klog.FromContext(ctx)
	server := &http.Server{
		Handler:           handler,
		BaseContext:       func(net.Listener) context.Context { return ctx }, // has the logger
		ReadHeaderTimeout: 5 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    64 << 10,
		// Failed handshakes and the like are the caller's, and anybody may cause them.
		ErrorLog: slog.NewLogLogger(logr.ToSlogHandler(logger.V(2)), slog.LevelInfo),
	}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	go func() {
		if err := server.Serve(listener); ctx.Err() == nil {
			logger.Error(err, "No longer serving", "flag", flag)
		}
	}()
	logger.V(2).Info("Serving", "flag", flag, "address", listener.Addr().String())
}

// serveProbes answers the kubelet.
func serveProbes(ctx context.Context, address string, handler http.Handler) error {
	const flag = "health-probe-bind-address"
	listener, err := listen(ctx, flag, address)
	if err == nil && listener != nil {
		serve(ctx, flag, listener, handler)
	}
	return err
}

// serveMetrics answers everybody on loopback, and elsewhere over HTTPS those who may.
func serveMetrics(ctx context.Context, o *options, config *rest.Config, handler http.Handler) error {
	const flag = "metrics-bind-address"
	listener, err := listen(ctx, flag, o.metrics)
	if err != nil || listener == nil {
		return err
	}
	if o.metricsSecure && (o.metricsCert != "" || !loopback(listener)) {
		guard, err := newGuard(config, metricsPath)
		if err != nil {
			return err
		}
		if err := guard.check(ctx); err != nil {
			klog.FromContext(ctx).Error(err, "Nobody will be able to read the metrics; "+reviewCure)
		}
		handler = guard.protect(handler)
		tlsConfig, err := o.metricsTLS(ctx)
		if err != nil {
			return err
		}
		listener = tls.NewListener(listener, tlsConfig)
	}
	mux := http.NewServeMux()
	mux.Handle("GET "+metricsPath, handler)
	if o.profiling {
		if !loopback(listener) {
			return errors.New("--profiling: profiles are for this host only; set --metrics-bind-address to an address on loopback")
		}
		profile(mux)
	}
	serve(ctx, flag, listener, mux)
	return nil
}

// profile serves what net/http/pprof would serve on the mux of everybody.
func profile(mux *http.ServeMux) {
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
}

// loopback reports whether only this host, or this pod, reaches a listener.
func loopback(listener net.Listener) bool {
	address, ok := listener.Addr().(*net.TCPAddr)
	return ok && address.IP.IsLoopback()
}

func (o *options) metricsTLS(ctx context.Context) (*tls.Config, error) {
	if o.metricsCert != "" {
		return certificateFiles(klog.FromContext(ctx), o.metricsCert, o.metricsKey)
	}
	return selfSigned(), nil
}

// probes answers /healthz, which fails when this process is stuck as the leader, and /readyz, which fails until the
// cache holds what the API server has. A standby is ready.
func probes(leading *leaderelection.HealthzAdaptor, synced func() bool) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) {
		if err := leading.Check(r); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if !synced() {
			http.Error(w, "the cache is not filled yet", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	return mux
}
