package main

import (
	"crypto/tls"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/client-go/util/cert"
	"k8s.io/klog/v2/ktesting"
)

// handshake is the name in the certificate that a server shows.
func handshake(t *testing.T, config *tls.Config) string {
	t.Helper()
	shown, err := config.GetCertificate(&tls.ClientHelloInfo{})
	if err != nil {
		t.Fatal(err)
	}
	return shown.Leaf.DNSNames[0]
}

func TestCertificateFilesAreReadAgain(t *testing.T) {
	certFile, keyFile := filepath.Join(t.TempDir(), "tls.crt"), filepath.Join(t.TempDir(), "tls.key")
	write := func(host string) {
		certificate, key, err := cert.GenerateSelfSignedCertKey(host, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for file, content := range map[string][]byte{certFile: certificate, keyFile: key} {
			if err := os.WriteFile(file, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	logger, _ := ktesting.NewTestContext(t)
	if _, err := certificateFiles(logger, certFile, keyFile); err == nil {
		t.Error("it starts without a certificate")
	}
	write("first")
	config, err := certificateFiles(logger, certFile, keyFile)
	if err != nil {
		t.Fatal(err)
	}
	if got := handshake(t, config); got != "first" {
		t.Errorf("it shows %q", got)
	}
	write("second")
	if got := handshake(t, config); got != "second" {
		t.Errorf("renewed, it shows %q", got)
	}
	if err := os.WriteFile(keyFile, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := handshake(t, config); got != "second" {
		t.Errorf("half written, it shows %q", got)
	}
}

func TestSelfSigned(t *testing.T) {
	config := selfSigned()
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	if first, second := handshake(t, config), handshake(t, config); first != host && first != "localhost" || second != first {
		t.Errorf("it shows %q and %q", first, second)
	}
}
