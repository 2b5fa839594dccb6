package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"curfew/scaler"
	"curfew/scaler/decide"
)

// TestRunbook: whoever gets an event or an alert finds it in the runbook, and nothing else is there.
func TestRunbook(t *testing.T) {
	events := []string{scaler.EventInvalidAnnotation, scaler.EventContested, scaler.EventWriteRefused, scaler.EventWakeTimedOut}
	for _, reason := range decide.Reasons() {
		events = append(events, string(reason))
	}
	content, err := os.ReadFile("../../deploy/monitoring/prometheusrule.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var rule struct {
		Spec struct {
			Groups []struct {
				Rules []struct {
					Alert       string
					Annotations map[string]string
				}
			}
		}
	}
	if err := yaml.Unmarshal(content, &rule); err != nil {
		t.Fatal(err)
	}
	var alerts []string
	for _, group := range rule.Spec.Groups {
		for _, r := range group.Rules {
			if r.Alert == "" {
				continue
			}
			alerts = append(alerts, r.Alert)
			page, anchor, _ := strings.Cut(r.Annotations["runbook_url"], "#")
			if page != "docs/runbook.md" || !slices.Contains(anchors(t, "../../"+page), anchor) {
				t.Errorf("%s: %s leads nowhere", r.Alert, r.Annotations["runbook_url"])
			}
		}
	}
	for section, want := range map[string][]string{"Events": events, "Alerts": alerts} {
		got := headings(t, section)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s in the runbook: %q\nthere are: %q", section, got, want)
		}
	}
}

// TestDocsLinks: a link from one page to another, or within it, leads to a file and a heading that are there.
func TestDocsLinks(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, "../../README.md", "../../CONTRIBUTING.md") {
		for _, link := range regexp.MustCompile(`\]\(([^)\s]*)\)`).FindAllStringSubmatch(read(t, page), -1) {
			name, anchor, _ := strings.Cut(link[1], "#")
			if strings.Contains(name, "://") {
				continue
			}
			target := page
			if name != "" {
				target = filepath.Join(filepath.Dir(page), name)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %v", page, err)
			} else if anchor != "" && !slices.Contains(anchors(t, target), anchor) {
				t.Errorf("%s: %s has no heading #%s", page, target, anchor)
			}
		}
	}
}

// headings are those of the third level in a section of the runbook.
func headings(t *testing.T, section string) []string {
	t.Helper()
	_, text, _ := strings.Cut(read(t, "../../docs/runbook.md"), "\n## "+section+"\n")
	text, _, _ = strings.Cut(text, "\n## ")
	var found []string
	for _, match := range regexp.MustCompile(`(?m)^### (.+)$`).FindAllStringSubmatch(text, -1) {
		found = append(found, match[1])
	}
	return found
}

// anchors are the names under which a page's headings can be linked to.
func anchors(t *testing.T, page string) []string {
	t.Helper()
	text := regexp.MustCompile("(?ms)^```.*?^```$").ReplaceAllString(read(t, page), "") // a comment in code is no heading
	var found []string
	for _, match := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(text, -1) {
		name := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(match[1]), "")
		found = append(found, strings.ReplaceAll(name, " ", "-"))
	}
	return found
}

func read(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
