package soak

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"curfew/e2e/harness"
)

// replica is one of several Curfews. It is started again when it ends, as a kubelet would.
type replica struct {
	mu      sync.Mutex
	process *harness.Curfew
	past    []*harness.Curfew
	codes   []int // how they ended
}

// replicas are all of them.
type replicas []*replica

// run keeps a replica running until the context ends.
func (r *replica) run(ctx context.Context, start func() (*harness.Curfew, error)) error {
	for {
		process, err := start()
		if err != nil {
			return err
		}
		r.mu.Lock()
		r.process, r.past = process, append(r.past, process)
		r.mu.Unlock()
		code, err := process.Wait(ctx)
		if err != nil { // the end of all
			process.Kill()
			return nil
		}
		r.mu.Lock()
		r.codes = append(r.codes, code)
		r.process = nil
		r.mu.Unlock()
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Second): // a kubelet takes longer
		}
	}
}

// running is the process, nil if it has just ended.
func (r *replica) running() *harness.Curfew {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.process
}

// leader is the one that leads, nil if there is none.
func (rs replicas) leader() *harness.Curfew {
	for _, r := range rs {
		if process := r.running(); process != nil && process.Leads() {
			return process
		}
	}
	return nil
}

// awaitLeader waits until one leads. There are several logs that could say so, some of processes that are not there yet.
func (rs replicas) awaitLeader(ctx context.Context) (*harness.Curfew, error) {
	for {
		if leader := rs.leader(); leader != nil {
			return leader, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("nobody leads: %w", context.Cause(ctx))
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// logs are what each process said that ever ran.
func (rs replicas) logs() []*harness.Log {
	var logs []*harness.Log
	for _, r := range rs {
		r.mu.Lock()
		for _, process := range r.past {
			logs = append(logs, process.Log)
		}
		r.mu.Unlock()
	}
	return logs
}

// figures are what a process says of itself.
type figures struct{ goroutines, heap, resident float64 }

// measure has a process collect its garbage, and asks how much is left.
func measure(ctx context.Context, c *harness.Curfew) (figures, error) {
	if _, err := c.Profile(ctx, "heap?gc=1"); err != nil {
		return figures{}, err
	}
	text, err := c.Metrics(ctx)
	if err != nil {
		return figures{}, err
	}
	series, err := harness.Series(text)
	return figures{series["go_goroutines"], series["go_memstats_heap_alloc_bytes"], series["process_resident_memory_bytes"]}, err
}

// String is for people.
func (f figures) String() string {
	return fmt.Sprintf("%.0f goroutines, heap %.1f MiB, resident %.1f MiB", f.goroutines, f.heap/(1<<20), f.resident/(1<<20))
}

// form is how long and how large the soak is.
type form struct {
	lasts   time.Duration
	objects int
	apart   time.Duration // from one fault to the next, on the average
	some    int           // objects that somebody changes at a time
}

func chooseForm() (form, error) {
	text := os.Getenv("CURFEW_SOAK")
	if text == "" {
		return form{lasts: time.Minute, objects: 300, apart: 3 * time.Second, some: 5}, nil
	}
	lasts, err := time.ParseDuration(text)
	return form{lasts: lasts, objects: 2000, apart: 6 * time.Second, some: 20}, err
}
