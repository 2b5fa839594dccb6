package cluster

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"sync"
)

//go:embed auditpolicy.yaml
var auditPolicy []byte

// auditLog collects the lines that the API server writes. It is the writer that
// the API server's standard output is copied to.
type auditLog struct {
	mu       sync.Mutex
	rest     []byte // of a line that is not complete
	requests []Request
	grown    chan struct{} // closed and replaced when requests has grown
}

func newAuditLog() *auditLog {
	return &auditLog{grown: make(chan struct{})}
}

// Write takes any piece of the log.
func (l *auditLog) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest = append(l.rest, text...)
	before := len(l.requests)
	for {
		line, rest, complete := bytes.Cut(l.rest, []byte("\n"))
		if !complete {
			break
		}
		l.rest = rest
		var event auditEvent
		// The server prints nothing else there; if it ever does, it is not ours.
		if json.Unmarshal(line, &event) == nil && event.Kind == "Event" {
			l.requests = append(l.requests, event.request())
		}
	}
	if len(l.requests) > before {
		close(l.grown)
		l.grown = make(chan struct{})
	}
	return len(text), nil
}

// selected are the requests from the one with that index on that pass every
// filter, in the order in which they were answered; how many there are in all;
// and a channel that is closed when there may be more.
func (l *auditLog) selected(filters []Filter, from int) ([]Request, int, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var found []Request
next:
	for _, request := range l.requests[from:] {
		for _, filter := range filters {
			if !filter(request) {
				continue next
			}
		}
		found = append(found, request)
	}
	return found, len(l.requests), l.grown
}
