package harness

import (
	"context"
	"fmt"
	"strings"
	"sync"
)

// Log keeps what a program writes and lets others wait for it.
type Log struct {
	mu    sync.Mutex
	text  []byte
	grown chan struct{} // closed and replaced when text has grown
}

// NewLog is an empty log.
func NewLog() *Log { return &Log{grown: make(chan struct{})} }

// Write adds to the log.
func (l *Log) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, text...)
	close(l.grown)
	l.grown = make(chan struct{})
	return len(text), nil
}

// String is all that has been written.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.text)
}

// Contains tells whether some text has been written, in any case.
func (l *Log) Contains(text string) bool {
	return strings.Contains(strings.ToLower(l.String()), strings.ToLower(text))
}

// Await waits until some text has been written, in any case.
func (l *Log) Await(ctx context.Context, text string) error {
	for {
		l.mu.Lock()
		grown := l.grown
		l.mu.Unlock()
		if l.Contains(text) {
			return nil
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return fmt.Errorf("waiting for %q in the log: %w", text, context.Cause(ctx))
		}
	}
}
