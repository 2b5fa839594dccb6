package e2e_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"curfew/e2e/harness"
)

// terminal opens a terminal: what is written to the first file is typed, and what is said
// comes out of it; the second is what a program has for its input.
func (s *space) terminal() (person, program *os.File) {
	s.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		s.Skip("this machine has no terminals to give away: ", err)
	}
	s.Cleanup(func() { person.Close() })
	s.must(unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	s.must(err)
	program, err = os.OpenFile(fmt.Sprint("/dev/pts/", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	s.must(err)
	s.Cleanup(func() { program.Close() })
	return person, program
}

// TestPluginAsks a person at a terminal, and takes no for an answer.
func TestPluginAsks(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.create("web", 3, annotations{harness.Windows: "always = 0"})
	s.awaitSize("web", 0)
	answer := func(typed string, args ...string) (code int, stdout, stderr string) {
		person, program := s.terminal()
		_, err := person.WriteString(typed)
		s.must(err)
		var out, errOut strings.Builder
		command := s.pluginCommand(args...)
		command.Stdin, command.Stdout, command.Stderr = program, &out, &errOut
		command.WaitDelay = time.Second
		_ = command.Run() // its exit code tells
		return command.ProcessState.ExitCode(), out.String(), errOut.String()
	}
	ns := "ns/" + s.namespace
	for _, no := range []string{"n\n", "\n", "\x04"} { // the last is the end of the input
		code, stdout, stderr := answer(no, "wake", ns, "--for", "1h")
		if code != 1 || stdout != "" || !strings.Contains(stderr, "\nGo on? [y/N]: ") || !strings.HasSuffix(stderr, "error: cancelled; nothing was changed\n") {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q", no, code, stdout, stderr)
		}
	}
	if got := harness.Size(s.get("web")); got != 0 {
		t.Errorf("somebody said no, and the size is %d", got)
	}
	code, stdout, stderr := answer("y\n", "wake", ns, "--for", "1h", "-o", "name")
	if code != 0 || stdout != "namespace/"+s.namespace+"\n" || !strings.HasPrefix(stderr, "wake would change:\n  namespace/"+s.namespace+": normal until ") {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	s.awaitSize("web", 3)
}
