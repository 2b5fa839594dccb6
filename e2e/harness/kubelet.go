package harness

import (
	"slices"
	"sync"
	"time"
)

// Kubelet keeps a Curfew running as the kubelet does: what ends is started
// again, at once the first time, after 10 s the next, and then after twice as
// long each time.
type Kubelet struct {
	start func() (*Curfew, error)

	mu      sync.Mutex
	current *Curfew
	exits   []int
	err     error
	stopped chan struct{}
}

// NewKubelet starts a Curfew and keeps it running.
func NewKubelet(start func() (*Curfew, error)) (*Kubelet, error) {
	first, err := start()
	if err != nil {
		return nil, err
	}
	k := &Kubelet{start: start, current: first, stopped: make(chan struct{})}
	go k.keep(first)
	return k, nil
}

func (k *Kubelet) keep(curfew *Curfew) {
	for wait := time.Duration(0); ; wait = max(10*time.Second, 2*wait) {
		<-curfew.ended
		code, _ := curfew.Ended()
		k.mu.Lock()
		k.exits = append(k.exits, code)
		k.mu.Unlock()
		select {
		case <-k.stopped:
			return
		case <-time.After(wait):
		}
		k.mu.Lock()
		next, err := k.start()
		if err != nil {
			k.err = err
			k.mu.Unlock()
			return
		}
		k.current, curfew = next, next
		k.mu.Unlock()
		select {
		case <-k.stopped:
			next.Kill()
		default:
		}
	}
}

// Current is the Curfew that runs, or ran last.
func (k *Kubelet) Current() *Curfew {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.current
}

// Exits are the exit codes so far, and why it could not be started again.
func (k *Kubelet) Exits() ([]int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.exits), k.err
}

// Stop kills what runs and starts nothing more.
func (k *Kubelet) Stop() {
	close(k.stopped)
	k.Current().Kill()
}
