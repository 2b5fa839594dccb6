// Package image_test takes the image that `make image-oci` writes apart, and runs
// what is in it from an otherwise empty root, as an unprivileged user.
package image_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"debug/elf"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/opencontainers/go-digest"
	imagespec "github.com/opencontainers/image-spec/specs-go/v1"
)

// largest is how much may have to be pulled, and how much it may be unpacked.
const largest = 40 << 20

// layout is the folder of an OCI image layout.
type layout struct {
	*testing.T
	dir string
}

func open(t *testing.T) layout {
	t.Helper()
	dir := os.Getenv("CURFEW_IMAGE")
	if dir == "" {
		t.Skip("no image is given: make image-check")
	}
	return layout{t, dir}
}

// blob is what a descriptor stands for. Its digest is checked.
func (l layout) blob(d imagespec.Descriptor) []byte {
	l.Helper()
	content, err := os.ReadFile(filepath.Join(l.dir, "blobs", d.Digest.Algorithm().String(), d.Digest.Encoded()))
	if err != nil {
		l.Fatal(err)
	}
	if got := digest.FromBytes(content); got != d.Digest || int64(len(content)) != d.Size {
		l.Fatalf("the blob of %v is %v, of %d bytes", d.Digest, got, len(content))
	}
	return content
}

func read[T any](l layout, content []byte) (into T) {
	l.Helper()
	if err := json.Unmarshal(content, &into); err != nil {
		l.Fatal(err)
	}
	return into
}

// platforms are the images of the index, by architecture.
func (l layout) platforms() map[string]imagespec.Manifest {
	l.Helper()
	content, err := os.ReadFile(filepath.Join(l.dir, "index.json"))
	if err != nil {
		l.Fatal(err)
	}
	root := read[imagespec.Index](l, content)
	if len(root.Manifests) != 1 || root.Manifests[0].MediaType != imagespec.MediaTypeImageIndex {
		l.Fatalf("not one index for all architectures: %+v", root.Manifests)
	}
	l.Logf("the image is %v", root.Manifests[0].Digest)
	found := map[string]imagespec.Manifest{}
	for _, d := range read[imagespec.Index](l, l.blob(root.Manifests[0])).Manifests {
		if d.Platform == nil || d.Platform.OS != "linux" {
			l.Fatalf("for what is %+v?", d)
		}
		found[d.Platform.Architecture] = read[imagespec.Manifest](l, l.blob(d))
	}
	return found
}

func TestImage(t *testing.T) {
	platforms := open(t).platforms()
	if len(platforms) != 2 {
		t.Errorf("%d architectures, want amd64 and arm64", len(platforms))
	}
	for architecture, machine := range map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64} {
		t.Run(architecture, func(t *testing.T) {
			l := open(t)
			manifest, there := platforms[architecture]
			if !there {
				t.Fatal("there is none")
			}
			config := read[imagespec.Image](l, l.blob(manifest.Config))
			checkConfig(t, config, architecture)
			if len(manifest.Layers) != 1 {
				t.Fatalf("%d layers, want one", len(manifest.Layers))
			}
			root := t.TempDir()
			program := l.unpack(manifest.Layers[0], root)
			checkProgram(t, program, machine)
			if architecture == runtime.GOARCH {
				run(t, root, config)
			}
		})
	}
}

func checkConfig(t *testing.T, config imagespec.Image, architecture string) {
	t.Helper()
	if config.OS != "linux" || config.Architecture != architecture {
		t.Errorf("the configuration is for %s/%s", config.OS, config.Architecture)
	}
	if config.Config.User != "65532:65532" {
		t.Errorf("the user is %q: it must be a number, and not 0", config.Config.User)
	}
	if !slices.Equal(config.Config.Entrypoint, []string{"/curfew"}) || len(config.Config.Cmd) != 0 {
		t.Errorf("it runs %v %v", config.Config.Entrypoint, config.Config.Cmd)
	}
	stamps := strings.Fields(os.Getenv("CURFEW_IMAGE_STAMPS"))
	if len(stamps) != 3 {
		t.Fatalf("CURFEW_IMAGE_STAMPS must be version, commit and source, and is %q", stamps)
	}
	const key = "org.opencontainers.image."
	for label, want := range map[string]string{
		"title": "curfew", "licenses": "Apache-2.0", "version": stamps[0], "revision": stamps[1], "source": stamps[2],
	} {
		if got := config.Config.Labels[key+label]; got != want {
			t.Errorf("the label %s%s is %q, want %q", key, label, got, want)
		}
	}
}

// unpack writes a layer that holds one program and nothing else, and gives its path.
func (l layout) unpack(layer imagespec.Descriptor, root string) (program string) {
	l.Helper()
	unzipped, err := gzip.NewReader(bytes.NewReader(l.blob(layer)))
	if err != nil {
		l.Fatal(err)
	}
	archive := tar.NewReader(unzipped)
	for {
		entry, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			l.Fatal(err)
		}
		if entry.Name == "./" || entry.Name == "/" {
			continue
		}
		if entry.Name != "curfew" || entry.Typeflag != tar.TypeReg || entry.FileInfo().Mode() != 0o755 || entry.Uid != 0 || entry.Gid != 0 {
			l.Errorf("%s is in it, %v of %d:%d", entry.Name, fs.FileMode(entry.Mode), entry.Uid, entry.Gid)
			continue
		}
		if entry.Size > largest || layer.Size > largest {
			l.Errorf("%d bytes, and %d to pull: more than %d", entry.Size, layer.Size, largest)
		}
		l.Logf("%.1f MB, and %.1f MB to pull", float64(entry.Size)/1e6, float64(layer.Size)/1e6)
		content, err := io.ReadAll(archive)
		if err != nil {
			l.Fatal(err)
		}
		program = filepath.Join(root, entry.Name)
		if err := os.WriteFile(program, content, 0o755); err != nil {
			l.Fatal(err)
		}
	}
	if program == "" {
		l.Fatal("there is no /curfew in it")
	}
	return program
}

// checkProgram makes sure that it is for the machine, and needs no other file to run.
func checkProgram(t *testing.T, program string, machine elf.Machine) {
	t.Helper()
	file, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if file.Machine != machine {
		t.Errorf("it is for %v", file.Machine)
	}
	for _, part := range file.Progs {
		if part.Type == elf.PT_INTERP || part.Type == elf.PT_DYNAMIC {
			t.Errorf("it is not static: %v", part.Type)
		}
	}
}

// run runs it as a container would be, but for the namespaces.
func run(t *testing.T, root string, config imagespec.Image) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Log("not run: it takes root to change the root")
		return
	}
	// A temporary folder is its owner's alone.
	for dir := root; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	version := strings.Fields(os.Getenv("CURFEW_IMAGE_STAMPS"))[0]
	for name, c := range map[string]struct {
		flags []string
		says  string
		code  int
	}{
		"version":            {[]string{"--version"}, "curfew version " + version, 0},
		"help":               {[]string{"--help"}, "Curfew scales workloads by the clock.", 0},
		"a zone":             {[]string{"--timezone=Europe/Berlin"}, "say how to reach one with --kubeconfig", 1}, // and nothing of the zone
		"a zone far away":    {[]string{"--timezone=Antarctica/Troll"}, "say how to reach one with --kubeconfig", 1},
		"a zone of no place": {[]string{"--timezone=Mars/Phobos"}, "--timezone: ", 1},
	} {
		command := exec.Command(config.Config.Entrypoint[0], c.flags...)
		command.Dir, command.Env = "/", config.Config.Env
		command.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
		output, err := command.CombinedOutput()
		if command.ProcessState == nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(output), c.says) || command.ProcessState.ExitCode() != c.code {
			t.Errorf("%s: exit code %d, want %d and %q:\n%s", name, command.ProcessState.ExitCode(), c.code, c.says, output)
		}
		if c.code == 1 && strings.Contains(string(output), "--timezone") != strings.Contains(c.says, "--timezone") {
			t.Errorf("%s: %s", name, output)
		}
	}
}
