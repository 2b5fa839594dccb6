package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"syscall"
	"time"

	"curfew/e2e/cluster"
)

// Curfew is one running curfew process.
type Curfew struct {
	// Log is what it says on standard output and standard error.
	Log *Log

	command *exec.Cmd
	health  string
	metrics string
	ended   chan struct{}
}

// Run starts a curfew program with a kubeconfig and further flags, as if in a
// pod of that namespace. Ports for probes and metrics are chosen here.
func Run(program, kubeconfig, namespace string, flags ...string) (*Curfew, error) {
	free, err := cluster.FreePorts(2)
	if err != nil {
		return nil, err
	}
	curfew := &Curfew{
		Log:     NewLog(),
		health:  fmt.Sprintf("127.0.0.1:%d", free[0]),
		metrics: fmt.Sprintf("127.0.0.1:%d", free[1]),
		ended:   make(chan struct{}),
	}
	flags = append([]string{
		"--kubeconfig=" + kubeconfig,
		"--health-probe-bind-address=" + curfew.health,
		"--metrics-bind-address=" + curfew.metrics,
	}, flags...)
	curfew.command = exec.Command(program, flags...)
	// What deploy/ has the kubelet put there.
	curfew.command.Env = append(os.Environ(),
		"POD_NAMESPACE="+namespace, fmt.Sprintf("POD_NAME=curfew-5d4f8c7b9d-%05d", free[0]))
	curfew.command.Stdout, curfew.command.Stderr = curfew.Log, curfew.Log
	curfew.command.SysProcAttr = cluster.ChildAttributes()
	if err := curfew.command.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(curfew.ended)
		_ = curfew.command.Wait() // the exit code is in ProcessState
	}()
	return curfew, nil
}

// PID is its process id.
func (c *Curfew) PID() int { return c.command.Process.Pid }

// AwaitReady waits until /readyz says ok: every cache is filled.
func (c *Curfew) AwaitReady(ctx context.Context) error {
	// A server that does not listen yet gives nothing to wait on.
	for {
		if answer, err := get(ctx, "http://"+c.health+"/readyz"); err == nil && answer != "" {
			return nil
		}
		select {
		case <-time.After(25 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("curfew is not ready: %w\n%s", context.Cause(ctx), c.Log)
		case <-c.ended:
			return fmt.Errorf("curfew ended with exit code %d:\n%s", c.command.ProcessState.ExitCode(), c.Log)
		}
	}
}

// AwaitLeader waits until it has said that it holds the lease.
func (c *Curfew) AwaitLeader(ctx context.Context) error {
	if err := c.Log.Await(ctx, "successfully acquired lease"); err != nil {
		return fmt.Errorf("curfew does not lead: %w\n%s", err, c.Log)
	}
	return nil
}

// Leads tells whether it has said that it holds the lease.
func (c *Curfew) Leads() bool { return c.Log.Contains("successfully acquired lease") }

// Metrics is what /metrics says.
func (c *Curfew) Metrics(ctx context.Context) (string, error) {
	return get(ctx, "http://"+c.metrics+"/metrics")
}

// Profile is one of those that it serves with --profiling, such as heap or
// profile?seconds=10.
func (c *Curfew) Profile(ctx context.Context, name string) (string, error) {
	return get(ctx, "http://"+c.metrics+"/debug/pprof/"+name)
}

// Ended tells whether it has ended, and with which exit code.
func (c *Curfew) Ended() (code int, ended bool) {
	select {
	case <-c.ended:
		return c.command.ProcessState.ExitCode(), true
	default:
		return 0, false
	}
}

// Healthy tells whether /healthz says ok, as the kubelet asks.
func (c *Curfew) Healthy(ctx context.Context) error {
	_, err := get(ctx, "http://"+c.health+"/healthz")
	return err
}

// Kill ends it at once, as a crash or a lost node would.
func (c *Curfew) Kill() {
	_ = c.command.Process.Kill()
	<-c.ended
}

// Signal sends it a signal, such as syscall.SIGSTOP.
func (c *Curfew) Signal(signal os.Signal) error { return c.command.Process.Signal(signal) }

// Terminate asks it to end, as the kubelet does, waits until it has and gives
// its exit code.
func (c *Curfew) Terminate(ctx context.Context) (int, error) {
	if err := c.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return -1, err
	}
	return c.Wait(ctx)
}

// Wait waits until it ends of its own accord and gives its exit code.
func (c *Curfew) Wait(ctx context.Context) (int, error) {
	select {
	case <-c.ended:
		return c.command.ProcessState.ExitCode(), nil
	case <-ctx.Done():
		return -1, fmt.Errorf("curfew does not end: %w\n%s", context.Cause(ctx), c.Log)
	}
}

func get(ctx context.Context, url string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %s", url, answer.Status, body)
	}
	return string(body), err
}
