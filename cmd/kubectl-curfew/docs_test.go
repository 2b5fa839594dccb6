package main

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra/doc"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

var update = flag.Bool("update", false, "write docs/kubectl-curfew anew")

// TestDocs holds docs/kubectl-curfew, a page for each command, to what the commands' help says. "make docs" writes them.
func TestDocs(t *testing.T) {
	const pages = "../../docs/kubectl-curfew"
	streams, _, _, _ := genericiooptions.NewTestIOStreams()
	root := newCommand(streams, time.Now)
	root.DisableAutoGenTag = true // it holds the date
	fresh := t.TempDir()
	if err := doc.GenMarkdownTree(root, fresh); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.RemoveAll(pages); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(pages, os.DirFS(fresh)); err != nil {
			t.Fatal(err)
		}
	}
	want, got := contents(t, fresh), contents(t, pages)
	if len(want) < 3 {
		t.Errorf("only %d pages", len(want))
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("docs/kubectl-curfew is not what the commands say; run make docs\n(- is there, + should be)\n%s", diff)
	}
}

// contents are the files in a folder, by name.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		found[filepath.Base(name)] = string(text)
	}
	return found
}
