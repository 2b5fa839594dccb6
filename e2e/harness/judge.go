package harness

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"curfew/e2e/cluster"
)

// Transition is a size that a Deployment was to get once, and when.
type Transition struct {
	Size int32
	// From is the moment from which it was due and could be made. Zero: whenever.
	From time.Time
	// Within is how long after that it must be there.
	Within time.Duration
}

// Case is what happened to one Deployment, for the judge.
type Case struct {
	Home string // the namespace of Curfew's ServiceAccount
	// Before is the Deployment when Curfew had first said what it is to be.
	Before *appsv1.Deployment
	// Since is when the judge begins to look; zero: at the beginning.
	Since time.Time
	// Transitions are those that Curfew was to make, in their order, each once.
	Transitions []Transition
	// Notes is how often Curfew was to write its status alone.
	Notes int64
	// Others is how often somebody else has changed the spec or an annotation.
	Others int64
	// Restored tells that etcd's data were put back to an older state meanwhile:
	// then the generation says nothing.
	Restored bool
	// Refusals are the codes, besides 409 and those from 500 on, with which a
	// write may have been refused.
	Refusals []int
	// Early is how much too early a transition may be, where a clock is wrong.
	Early time.Duration
}

// Verdict is what the judge has to say besides the error.
type Verdict struct {
	// Late is how long each transition took from its moment.
	Late []time.Duration
	// Refused are the writes that the API server did not carry out.
	Refused []Write
}

// String is the verdict on one line.
func (v Verdict) String() string {
	var late []string
	for _, d := range v.Late {
		late = append(late, d.Round(time.Millisecond).String())
	}
	codes := map[int]int{}
	for _, w := range v.Refused {
		codes[w.Code]++
	}
	return fmt.Sprintf("after %s; refused, by code: %v", strings.Join(late, ", "), codes)
}

// Judge says whether Curfew has kept its word about a Deployment. There are two
// witnesses. The audit log has every write of Curfew's: each transition was
// carried out once, in its time, by a patch of nothing but the size and Curfew's
// own annotations, and what was refused was refused as out of date and changed
// nothing. And the generation, which the API server raises with each change of a
// Deployment's spec or annotations: there was no other, whatever a log may have
// lost.
func Judge(ctx context.Context, c *cluster.Cluster, k Case) (Verdict, error) {
	var verdict Verdict
	var wrong []error
	complain := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	namespace, name := k.Before.Namespace, k.Before.Name

	after, err := c.Client.AppsV1().Deployments(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return verdict, err
	}
	if changes := ForeignChanges(k.Before, after); changes != "" {
		complain("it has changed where Curfew has no business:\n%s", changes)
	}
	size := Size(k.Before)
	if n := len(k.Transitions); n > 0 {
		size = k.Transitions[n-1].Size
	}
	if Size(after) != size {
		complain("in the end its size is %d, want %d", Size(after), size)
	}
	if status := StatusOf(after); status == nil || status.State != "window" && status.State != "normal" {
		complain("in the end its status is %s", after.Annotations[Status])
	} else if status.Size != nil && *status.Size != size {
		complain("in the end its status has size %d, want %d", *status.Size, size)
	}
	if changes := after.Generation - k.Before.Generation; !k.Restored && changes != int64(len(k.Transitions))+k.Notes+k.Others {
		complain("it was changed %d times, want %d by Curfew and %d by others", changes, int64(len(k.Transitions))+k.Notes, k.Others)
	}

	requests, err := c.Audit(ctx, cluster.Writes, cluster.By(User(k.Home)), cluster.To("deployments"), cluster.In(namespace), cluster.Named(name), cluster.Since(k.Since))
	if err != nil {
		return verdict, err
	}
	writes, err := ReadWrites(requests)
	if err != nil {
		return verdict, err
	}
	for _, write := range writes {
		if !write.Succeeded() {
			verdict.Refused = append(verdict.Refused, write)
			if write.Code != http.StatusConflict && write.Code < http.StatusInternalServerError && !slices.Contains(k.Refusals, write.Code) {
				complain("refused: %s", write)
			}
		}
		unread := len(write.Body) == 0 && !write.Succeeded() // it was refused before anybody looked
		if len(write.Stray) > 0 && !unread || write.Subresource != "" || write.Verb != "patch" {
			complain("it touches what is not its own (%s): %s", strings.Join(write.Stray, ", "), write)
		}
	}
	resizes := Resizes(writes)
	if len(resizes) != len(k.Transitions) {
		complain("%d sizes were written, want %d: %v", len(resizes), len(k.Transitions), resizes)
		return verdict, errors.Join(wrong...)
	}
	for i, want := range k.Transitions {
		got := resizes[i]
		if *got.Replicas != want.Size {
			complain("transition %d was to %d, want %d: %s", i+1, *got.Replicas, want.Size, got)
		}
		if want.From.IsZero() {
			continue
		}
		late := got.Done.Sub(want.From)
		verdict.Late = append(verdict.Late, late)
		if early := want.From.Sub(got.Received); early > k.Early {
			complain("transition %d is early by %v: %s", i+1, early, got)
		}
		if late > want.Within {
			complain("transition %d took %v, want less than %v: %s", i+1, late, want.Within, got)
		}
	}
	return verdict, errors.Join(wrong...)
}
