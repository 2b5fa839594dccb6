package e2e_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func (s *space) metricsPage() string {
	s.Helper()
	content, err := os.ReadFile(filepath.Join(filepath.Dir(s.cluster.Module()), "docs", "metrics.md"))
	s.must(err)
	return string(content)
}

// served is what a scrape has: for each metric its labels and type, and the values of the labels reason and result.
func served(text string) (metrics map[string]string, words map[string]bool) {
	types, labels := map[string]string{}, map[string]map[string]bool{}
	words = map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (\S+) (\S+)$`).FindAllStringSubmatch(text, -1) {
		types[m[1]], labels[m[1]] = m[2], map[string]bool{}
	}
	label := regexp.MustCompile(`(\w+)="([^"]*)"`)
	for _, m := range regexp.MustCompile(`(?m)^(curfew_\w+)(?:{(.*)})? \S+$`).FindAllStringSubmatch(text, -1) {
		name := m[1]
		for _, suffix := range []string{"_bucket", "_sum", "_count"} {
			if base := strings.TrimSuffix(name, suffix); types[base] == "histogram" {
				name = base
			}
		}
		for _, l := range label.FindAllStringSubmatch(m[2], -1) {
			if l[1] != "le" { // every histogram's
				labels[name][l[1]] = true
			}
			if l[1] == "reason" || l[1] == "result" {
				words[l[2]] = true
			}
		}
	}
	metrics = map[string]string{}
	for name, kind := range types {
		metrics[name] = kind
		if of := slices.Sorted(maps.Keys(labels[name])); len(of) > 0 {
			metrics[name] = kind + " by " + strings.Join(of, ",")
		}
	}
	return metrics, words
}

// documented is what the tables of a page have: Curfew's metrics with labels and type, those of libraries, of which
// patterns such as go_* are enough, and the words in the first column of the other tables.
func documented(page string) (metrics map[string]string, libraries, words map[string]bool) {
	metrics, libraries, words = map[string]string{}, map[string]bool{}, map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| (`[^|]*`) \\| ([^|]*) \\|").FindAllStringSubmatch(page, -1) {
		for cell := range strings.SplitSeq(m[1], ", ") {
			name, labels, _ := strings.Cut(strings.Trim(cell, "`}"), "{")
			switch {
			case !strings.Contains(name, "_"):
				words[name] = true
			case !strings.HasPrefix(name, "curfew_"):
				libraries[name] = true
			case labels == "":
				metrics[name] = m[2]
			default:
				metrics[name] = m[2] + " by " + strings.Join(slices.Sorted(strings.SplitSeq(labels, ",")), ",")
			}
		}
	}
	return metrics, libraries, words
}

// compareWithPage fails where a page and a scrape do not know the same.
func compareWithPage(t *testing.T, page, text string) {
	have, haveWords := served(text)
	want, libraries, wantWords := documented(page)
	missing := maps.Clone(libraries)
	for name, is := range have {
		if strings.HasPrefix(name, "curfew_") {
			if want[name] != is {
				t.Errorf("%s is a %s, and on the page %q", name, is, want[name])
			}
			continue
		}
		known := false
		for pattern := range libraries {
			prefix, open := strings.CutSuffix(pattern, "*")
			if name == pattern || open && strings.HasPrefix(name, prefix) {
				known = true
				delete(missing, pattern)
			}
		}
		if !known {
			t.Errorf("the page does not know %s", name)
		}
	}
	for name := range want {
		if have[name] == "" {
			t.Errorf("only the page knows %s", name)
		}
	}
	for pattern := range missing {
		t.Errorf("only the page knows %s", pattern)
	}
	for word := range wantWords {
		if !haveWords[word] {
			t.Errorf("only the page knows the reason or result %s", word)
		}
	}
	for word := range haveWords {
		if !wantWords[word] {
			t.Errorf("the page does not know the reason or result %s", word)
		}
	}
}
