package build

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// progress turns the output of `go build -v`, one line for each package, into
// a sign of life every quarter of a minute.
type progress struct {
	done chan struct{}

	mu     sync.Mutex
	lines  int
	recent []string // for the error message
}

func newProgress(output io.Writer) *progress {
	p := &progress{done: make(chan struct{})}
	begun := time.Now()
	ticker := time.NewTicker(15 * time.Second)
	go func() {
		defer ticker.Stop()
		for {
			select {
			case <-p.done:
				return
			case <-ticker.C:
				fmt.Fprintf(output, "  %s, %s\n", time.Since(begun).Round(time.Second), p.status())
			}
		}
	}()
	return p
}

// Write takes what the go command says.
func (p *progress) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "go: downloading ") {
			p.lines++
		}
		p.recent = append(p.recent, line)
	}
	if len(p.recent) > 20 {
		p.recent = p.recent[len(p.recent)-20:]
	}
	return len(text), nil
}

func (p *progress) status() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lines == 0 && len(p.recent) > 0 {
		return "downloading"
	}
	return fmt.Sprintf("%d packages built", p.lines)
}

func (p *progress) lastLines() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.recent, "\n")
}

func (p *progress) stop() { close(p.done) }
