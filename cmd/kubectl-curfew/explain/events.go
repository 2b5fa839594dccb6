package explain

import (
	"cmp"
	"context"
	"slices"
	"time"

	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"

	"curfew/scaler/kind"
)

// mostEvents is how many are shown.
const mostEvents = 10

// readEvents reads what Curfew has told about an object.
func readEvents(ctx context.Context, client kubernetes.Interface, o *kind.Object) ([]Event, error) {
	list, err := client.EventsV1().Events(o.Namespace).List(ctx, metav1.ListOptions{FieldSelector: fields.Set{
		"regarding.kind":      o.Kind.Name,
		"regarding.name":      o.Name,
		"regarding.uid":       string(o.UID), // not of another one that had this name
		"reportingController": kind.FieldManager,
	}.String()})
	if err != nil {
		return nil, err
	}
	return newest(list.Items), nil
}

// newest are the last events, in the order of time. It is never nil.
func newest(items []eventsv1.Event) []Event {
	list := []Event{}
	for _, e := range items {
		list = append(list, Event{At: last(e).UTC(), Type: e.Type, Reason: e.Reason, Note: e.Note})
	}
	slices.SortStableFunc(list, func(x, y Event) int { return cmp.Or(x.At.Compare(y.At), cmp.Compare(x.Note, y.Note)) })
	return list[max(0, len(list)-mostEvents):]
}

// last is when an event happened for the last time.
func last(e eventsv1.Event) time.Time {
	switch {
	case e.Series != nil:
		return e.Series.LastObservedTime.Time
	case !e.EventTime.IsZero():
		return e.EventTime.Time
	}
	return cmp.Or(e.DeprecatedLastTimestamp, e.CreationTimestamp).Time
}
