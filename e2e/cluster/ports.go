package cluster

import (
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
)

// ports are where the parts listen, all on 127.0.0.1.
type ports struct{ etcdClient, etcdPeer, apiServer int }

func freePorts() (ports, error) {
	free, err := FreePorts(3)
	if err != nil {
		return ports{}, err
	}
	return ports{etcdClient: free[0], etcdPeer: free[1], apiServer: free[2]}, nil
}

// Ports are taken from below those that a system gives to whoever connects, 32768
// and up on Linux: between a look at a port and the moment in which a program
// listens on it, nobody's connection can take it.
const (
	firstPort = 20000
	lastPort  = 32000
)

// handedOut are the ports that this process has given away already, whose programs
// may not listen yet.
var handedOut struct {
	sync.Mutex
	ports map[int]bool
}

// FreePorts finds n different TCP ports on 127.0.0.1 that nobody listens on. It
// gives none of them away twice.
func FreePorts(n int) ([]int, error) {
	handedOut.Lock()
	defer handedOut.Unlock()
	if handedOut.ports == nil {
		handedOut.ports = map[int]bool{}
	}
	var free []int
	var failed error
	for range lastPort - firstPort {
		if len(free) == n {
			return free, nil
		}
		port := firstPort + rand.IntN(lastPort-firstPort)
		if handedOut.ports[port] {
			continue
		}
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			failed = err
			continue
		}
		listener.Close()
		handedOut.ports[port] = true
		free = append(free, port)
	}
	return nil, fmt.Errorf("%d of %d ports are free: %w", len(free), n, failed)
}
