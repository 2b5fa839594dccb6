package main

import (
	"crypto/tls"
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"k8s.io/client-go/util/cert"
	"k8s.io/klog/v2"
)

// certificateFiles serves a certificate from files. They are read at each handshake, which scrapers do seldom, so that a
// renewed one counts at once; while it is being written, the one before goes on.
func certificateFiles(logger klog.Logger, certFile, keyFile string) (*tls.Config, error) {
	first, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return nil, fmt.Errorf("--metrics-tls-cert-file and --metrics-tls-key-file: %w", err)
	}
	var last atomic.Pointer[tls.Certificate]
	last.Store(&first)
	return &tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		if now, err := tls.LoadX509KeyPair(certFile, keyFile); err != nil {
			logger.Error(err, "Cannot read the certificate of the metrics, so the one before is used")
		} else {
			last.Store(&now)
		}
		return last.Load(), nil
	}}, nil
}

// selfSigned serves a certificate that is made in memory, when it is first asked for, and that nobody can check: it keeps
// tokens from being overheard, no more.
func selfSigned() *tls.Config {
	certificate := sync.OnceValues(func() (*tls.Certificate, error) {
		host, err := os.Hostname()
		if err != nil {
			return nil, err
		}
		certificate, key, err := cert.GenerateSelfSignedCertKey(host, nil, []string{"localhost"})
		if err != nil {
			return nil, err
		}
		pair, err := tls.X509KeyPair(certificate, key)
		return &pair, err
	})
	return &tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return certificate() }}
}
