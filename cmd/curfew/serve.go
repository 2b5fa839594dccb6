package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/klog/v2"

	"curfew/scaler"
)

// serve answers on the address that a flag gives until the context ends; "0" is none. It returns once the address is taken.
func serve(ctx context.Context, flag, address string, handler http.Handler) error {
	if address == "0" || address == "" {
		return nil
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("--%s: %w", flag, err)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	go func() {
		if err := server.Serve(listener); ctx.Err() == nil {
			klog.FromContext(ctx).Error(err, "No longer serving", "flag", flag)
		}
	}()
	klog.FromContext(ctx).V(2).Info("Serving", "flag", flag, "address", listener.Addr().String())
	return nil
}

// probes answers /healthz, which fails when this process is stuck as the leader, and /readyz, which fails until the
// cache holds what the API server has. A standby is ready.
func probes(leading *leaderelection.HealthzAdaptor, controller *scaler.Controller) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) {
		if err := leading.Check(r); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if !controller.Synced() {
			http.Error(w, "the cache is not filled yet", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	return mux
}

func metrics(registry *prometheus.Registry) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{Registry: registry}))
	return mux
}
