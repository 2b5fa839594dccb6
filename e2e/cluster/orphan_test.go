package cluster_test

import (
	"bufio"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"curfew/e2e/cluster"
)

// TestDiesWithItsParent: a test binary that is killed leaves no control plane
// running.
func TestDiesWithItsParent(t *testing.T) {
	const helper = "CLUSTER_TEST_HELPER"
	if os.Getenv(helper) != "" {
		c, err := cluster.Start(t.Context(), cluster.Options{Output: os.Stderr})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println("up", c.Config.Host)
		time.Sleep(time.Minute) // until it is killed
		return
	}
	parent := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDiesWithItsParent$")
	parent.Env = append(os.Environ(), helper+"=1")
	output, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	parent.Stderr = os.Stderr
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	var address string
	for lines := bufio.NewScanner(output); address == "" && lines.Scan(); {
		if host, found := strings.CutPrefix(lines.Text(), "up "); found {
			server, err := url.Parse(host)
			if err != nil {
				t.Fatal(err)
			}
			address = server.Host
		}
	}
	_ = parent.Process.Kill()
	_ = parent.Wait()
	if address == "" {
		t.Fatal("the cluster did not come up")
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		connection, err := net.Dial("tcp", address)
		if err != nil {
			return
		}
		connection.Close()
		if time.Now().After(deadline) {
			t.Fatal("ten seconds after its parent's death the API server still listens")
		}
	}
}
