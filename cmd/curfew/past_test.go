package main

import (
	"errors"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestPast(t *testing.T) {
	for name, c := range map[string]struct {
		versions []string // "" is no answer
		noticed  int
	}{
		"nothing yet":                {nil, 0},
		"forward":                    {[]string{"9", "10", "11"}, 0},
		"read twice":                 {[]string{"10", "10"}, 0},
		"back":                       {[]string{"10", "9"}, 1},
		"back, by digits":            {[]string{"1000", "999"}, 1},
		"back, after no answer":      {[]string{"10", "", "9"}, 1},
		"back, and on from there":    {[]string{"10", "8", "9"}, 2},
		"versions that are no order": {[]string{"a", "b", "a"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			noticed := 0
			p := &past{noticed: func() { noticed++ }}
			for _, version := range c.versions {
				lease, err := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{ResourceVersion: version}}, error(nil)
				if version == "" {
					lease, err = nil, errors.New("no answer")
				}
				if got, failed := p.saw(lease, err); got != lease || !errors.Is(failed, err) {
					t.Errorf("it became %v, %v", got, failed)
				}
			}
			if noticed != c.noticed {
				t.Errorf("noticed %d times, want %d", noticed, c.noticed)
			}
		})
	}
}
