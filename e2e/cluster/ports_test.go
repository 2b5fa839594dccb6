package cluster

import (
	"net"
	"strconv"
	"testing"
)

// TestFreePorts: each is given away once, also while nobody listens on it yet, and
// none is one that a connection may take.
func TestFreePorts(t *testing.T) {
	given := map[int]bool{}
	for range 100 {
		ports, err := FreePorts(20)
		if err != nil {
			t.Fatal(err)
		}
		for _, port := range ports {
			if given[port] || port < firstPort || port >= lastPort {
				t.Fatalf("port %d is given away twice, or may be a connection's", port)
			}
			given[port] = true
		}
	}
	ports, err := FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(ports[0]))
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
}
