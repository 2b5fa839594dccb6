package cluster

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// process is one part of the control plane.
type process struct {
	name    string
	log     string        // path of its standard error
	ended   chan struct{} // closed when it is gone
	command *exec.Cmd
	stdin   io.Closer // the part ends when this is closed
}

// start runs one part of the control plane program. Its standard output goes
// to output, or to the log as well if that is nil.
func (c *Cluster) start(name string, output io.Writer, args []string) (*process, error) {
	p := &process{name: name, log: c.file(name + ".log"), ended: make(chan struct{})}
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	p.command = exec.Command(c.parts, append([]string{name}, args...)...)
	p.command.Args[0] = name // clients name their field manager after it
	p.command.Stderr = log
	if p.command.Stdout = output; output == nil {
		p.command.Stdout = log
	}
	p.command.SysProcAttr = ChildAttributes()
	if p.stdin, err = p.command.StdinPipe(); err != nil {
		log.Close()
		return nil, err
	}
	if err := p.command.Start(); err != nil {
		log.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	go func() {
		defer close(p.ended)
		defer log.Close()
		_ = p.command.Wait() // what it has to say is in its log
	}()
	return p, nil
}

// kill ends the process with SIGKILL: a shutdown in good order takes a quarter
// of a minute and there is nothing to save.
func (p *process) kill() {
	if p == nil {
		return
	}
	_ = p.command.Process.Kill()
	<-p.ended
}

// failure is the error for a process that ended of its own accord.
func (p *process) failure() error {
	text, _ := os.ReadFile(p.log)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) > 15 {
		lines = lines[len(lines)-15:]
	}
	return fmt.Errorf("%s ended. It said:\n%s", p.name, strings.Join(lines, "\n"))
}
