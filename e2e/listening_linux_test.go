package e2e_test

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"curfew/e2e/harness"
)

// listening are the addresses that a process listens at, on TCP, UDP or in a file, as the kernel tells. Sockets of
// its own that only go out are none.
func listening(t testing.TB, pid int) []string {
	t.Helper()
	open := map[string]bool{}
	links, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil || len(links) == 0 {
		t.Skipf("the files of process %d cannot be seen: %v", pid, err)
	}
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil {
			if inode, ok := strings.CutPrefix(target, "socket:["); ok {
				open[strings.TrimSuffix(inode, "]")] = true
			}
		}
	}
	var found []string
	for table, state := range map[string]string{"tcp": "0A", "tcp6": "0A", "udp": "07", "udp6": "07"} {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, table))
		if err != nil {
			continue // no IPv6
		}
		for line := range strings.Lines(string(text)) {
			fields := strings.Fields(line)
			if len(fields) > 9 && fields[3] == state && open[fields[9]] {
				found = append(found, strings.TrimSuffix(table, "6")+" "+hexAddress(t, fields[1]))
			}
		}
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/unix", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 7 && fields[3] == "00010000" && open[fields[6]] {
			found = append(found, "unix "+fields[7])
		}
	}
	slices.Sort(found)
	return found
}

// hexAddress reads 0100007F:1F90: the address in words of the machine's byte order, and the port.
func hexAddress(t testing.TB, text string) string {
	t.Helper()
	ip, port, _ := strings.Cut(text, ":")
	bytes, err := hex.DecodeString(ip)
	if err != nil {
		t.Fatal(err)
	}
	for word := range slices.Chunk(bytes, 4) {
		binary.NativeEndian.PutUint32(word, binary.BigEndian.Uint32(word))
	}
	address, ok := netip.AddrFromSlice(bytes)
	number, err := strconv.ParseUint(port, 16, 16)
	if !ok || err != nil {
		t.Fatalf("no address: %s", text)
	}
	return netip.AddrPortFrom(address.Unmap(), uint16(number)).String()
}

// TestListening: with the flags that it has by itself Curfew listens where the documents say, the probes for the kubelet
// and the metrics on loopback, and nowhere else; and nowhere at all if it is told so.
func TestListening(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	binary, err := program()
	s.must(err)
	kubeconfig := s.TempDir() + "/kubeconfig"
	s.must(harness.WriteKubeconfig(s.ctx, s.cluster, s.home, kubeconfig))
	for name, test := range map[string]struct {
		flags []string
		want  []string
	}{
		"by default":    {nil, []string{"tcp 127.0.0.1:8080", "tcp [::]:8081"}},
		"nowhere":       {[]string{"--metrics-bind-address=0", "--health-probe-bind-address=0"}, nil},
		"with profiles": {[]string{"--profiling", "--health-probe-bind-address=0"}, []string{"tcp 127.0.0.1:8080"}},
	} {
		t.Run(name, func(t *testing.T) { // one after the other: they want the same ports
			log := harness.NewLog()
			command := exec.CommandContext(s.ctx, binary, append([]string{"--kubeconfig=" + kubeconfig, "--namespace=" + s.namespace, "--leader-elect-resource-namespace=" + s.home, "-v=2"}, test.flags...)...)
			command.Env = append(os.Environ(), "POD_NAMESPACE="+s.home)
			command.Stdout, command.Stderr = log, log
			s.must(command.Start())
			defer func() {
				_ = command.Process.Kill()
				_ = command.Wait()
			}()
			if err := log.Await(s.ctx, "leader lease"); err != nil {
				t.Fatal(err)
			}
			if log.Contains("address already in use") {
				t.Skipf("something else listens there on this machine:\n%s", log)
			}
			got := listening(t, command.Process.Pid)
			for i := range got { // a machine without IPv6 has one wildcard less
				got[i] = strings.Replace(got[i], "0.0.0.0:", "[::]:", 1)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("it listens at %v, want %v", got, test.want)
			}
		})
	}
}

// TestTimelineListens: the page of the plugin is there for this machine alone.
func TestTimelineListens(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	s.create("web", 3, annotations{harness.Windows: "always = 0"})
	path, err := plugin()
	s.must(err)
	log := harness.NewLog()
	command := exec.CommandContext(s.ctx, path, "timeline", "--open=false", "-n", s.namespace)
	command.Env = append(os.Environ(), "KUBECONFIG="+s.cluster.Kubeconfig)
	command.Stdout, command.Stderr = log, log
	s.must(command.Start())
	defer func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	}()
	s.must(log.Await(s.ctx, "http://"))
	s.sleepUntil(time.Now().Add(100 * time.Millisecond)) // for the rest of the line
	address := regexp.MustCompile(`http://([^/\s]+)/`).FindStringSubmatch(log.String())
	if address == nil {
		t.Fatalf("it does not say where: %s", log)
	}
	host, _, err := net.SplitHostPort(address[1])
	s.must(err)
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		t.Errorf("it says that it is at %s", host)
	}
	got := listening(t, command.Process.Pid)
	if len(got) == 0 {
		t.Error("it listens nowhere")
	}
	for _, address := range got {
		if !strings.HasPrefix(address, "tcp 127.0.0.1:") && !strings.HasPrefix(address, "tcp [::1]:") {
			t.Errorf("it listens at %s", address)
		}
	}
}
