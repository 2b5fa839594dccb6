package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"curfew/scaler"
	"curfew/scaler/annotation"
	"curfew/scaler/decide"
	"curfew/scaler/kind"
)

// TestTheDocsKnowEverything fails when the README and docs/ lag behind what people can write and will see.
func TestTheDocsKnowEverything(t *testing.T) {
	var words []string
	sets := newOptions().flags()
	for _, set := range sets.FlagSets {
		set.VisitAll(func(f *pflag.Flag) { words = append(words, "--"+f.Name) })
	}
	words = append(words, annotation.Keys()...)
	for _, k := range kind.Known() {
		words = append(words, k.String())
	}
	for _, state := range annotation.States() {
		words = append(words, string(state))
	}
	for _, reason := range decide.Reasons() {
		words = append(words, string(reason))
	}
	words = append(words, scaler.EventInvalidAnnotation, scaler.EventContested, scaler.EventWriteRefused, scaler.EventWakeTimedOut)

	var text strings.Builder
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, "../../README.md") {
		content, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(content)
	}
	for _, word := range words {
		if !strings.Contains(text.String(), "`"+word+"`") {
			t.Errorf("the docs do not know `%s`", word)
		}
	}
}

func TestOwnDeployment(t *testing.T) {
	for pod, want := range map[string]string{
		"curfew-5d4f8c7b9d-abcde": "curfew", "team-curfew-5d4f8c7b9d-abcde": "team-curfew", "laptop": "", "": "", "a-b": "",
	} {
		if got := ownDeployment(pod); got != want {
			t.Errorf("%q belongs to %q, want %q", pod, got, want)
		}
	}
}

func TestBadFlagsAreNamed(t *testing.T) {
	for flag, value := range map[string]string{
		"timezone": "PST", "namespace": "a,b", "selector": "a=b=c", "workers": "0", "kube-api-qps": "-1", "kube-api-burst": "0", "grace-period": "-1s", "wake-concurrency": "-1", "wake-rate": "-1", "wave-timeout": "0s", "metrics-tls-cert-file": "tls.crt",
		"leader-elect-resource-lock": "configmaps", "leader-elect-lease-duration": "1s", "leader-elect-renew-deadline": "2s",
	} {
		t.Run(flag, func(t *testing.T) {
			o := newOptions()
			flags := o.flags()
			for _, set := range flags.FlagSets {
				if set.Lookup(flag) != nil {
					if err := set.Set(flag, value); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := o.complete(); err == nil || !strings.Contains(err.Error(), "--"+flag+":") {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestExcludedNamespaces(t *testing.T) {
	t.Setenv("POD_NAMESPACE", "home")
	for text, want := range map[string][]string{"a, b ,c": {"a", "b", "c"}, "": nil, " , ": nil} {
		o := newOptions()
		flags := o.flags()
		if err := flags.FlagSet("scaling").Set("exclude-namespaces", text); err != nil {
			t.Fatal(err)
		}
		if err := o.complete(); err != nil {
			t.Fatal(err)
		}
		if !o.protected.HasAll(append(want, "kube-system", "kube-public", "kube-node-lease", "home")...) || o.protected.Len() != len(want)+4 {
			t.Errorf("%q protects %v", text, o.protected.UnsortedList())
		}
	}
}
