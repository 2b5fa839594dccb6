package bench

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// What can be measured alone, in the order in which it is.
const (
	partWindow   = "window"
	partStart    = "start"
	partMemory   = "memory"
	partIdle     = "idle"
	partSingle   = "single"
	partRestart  = "restart"
	partBoundary = "boundary"
	partTakeover = "takeover"
)

var parts = []string{partWindow, partStart, partMemory, partIdle, partSingle, partRestart, partBoundary, partTakeover}

// Options say what to measure.
type Options struct {
	Objects     []int    // how many Deployments, one run for each
	Only        []string // the parts to measure; none: all
	CurfewFlags []string // further flags for Curfew
	Quick       bool     // short times, fewer boundaries
	Rounds      int      // boundaries of everything, each against the bare client
	Controllers bool     // let kube-controller-manager act on the Deployments
	Profiles    string   // folder for Curfew's profiles; none if empty

	Output   io.Writer // the table
	Progress io.Writer // what is being done
}

func (o *Options) check() error {
	for _, n := range o.Objects {
		if n < 1 {
			return fmt.Errorf("--objects: %d is too few", n)
		}
	}
	for _, part := range o.Only {
		if !slices.Contains(parts, part) {
			return fmt.Errorf("--only: %q is none of %s", part, strings.Join(parts, ", "))
		}
	}
	if o.Rounds < 1 {
		return fmt.Errorf("--rounds: %d is too few", o.Rounds)
	}
	return nil
}

func (o *Options) wants(part string) bool { return len(o.Only) == 0 || slices.Contains(o.Only, part) }

// pause is how long something is waited for that must not happen.
func (o *Options) pause() time.Duration {
	if o.Quick {
		return 500 * time.Millisecond
	}
	return 2 * time.Second
}

// lead is how long before a boundary, at the least, it is made known.
func (o *Options) lead() time.Duration {
	if o.Quick {
		return time.Second
	}
	return 5 * time.Second
}

// idle is how long an idle Curfew is watched.
func (o *Options) idle() time.Duration {
	if o.Quick {
		return 2 * time.Second
	}
	return time.Minute
}

// boundaries is how many boundaries one object has.
func (o *Options) boundaries() int {
	if o.Quick {
		return 2
	}
	return 50
}
