package kind

import (
	"errors"
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"

	"curfew/scaler/annotation"
)

// The annotations with which KEDA is told to pause, and at how many replicas. Of the two the number wins.
const (
	pausedReplicas = "autoscaling.keda.sh/paused-replicas"
	paused         = "autoscaling.keda.sh/paused"
)

// ScaledObject is off while KEDA is told to pause it at 0 replicas. Whatever else its owner has told KEDA, such as to
// pause it at 5, is remembered with [annotation.RememberedPause] and given back.
var ScaledObject = &Kind{
	Resource: schema.GroupVersionResource{Group: "keda.sh", Version: "v1alpha1", Resource: "scaledobjects"}, Name: "ScaledObject",
	Sizer: scaledObject{onOff{"a ScaledObject", "pauses"}}, Inherits: true, Instead: true,
}

type scaledObject struct{ onOff }

// Read takes the size from the annotation. An object of which KEDA can make nothing is unfit; so is one that is paused
// without a number, for KEDA would leave its target at 0 when it gets that back.
func (scaledObject) Read(from runtime.Object, o *Object) error {
	u, ok := from.(*unstructured.Unstructured)
	if !ok {
		return fmt.Errorf("it is a %T", from)
	}
	all, _, err := unstructured.NestedStringMap(u.Object, "metadata", "annotations")
	text, there := all[pausedReplicas]
	n, isNumber := pauseAt(text)
	o.running(!isNumber || n > 0)
	if err != nil {
		return errors.New("the annotations of this ScaledObject are not texts; write them anew")
	}
	if o.Target, err = targetOf(u); err != nil {
		return err
	}
	word, pauses := all[paused]
	if yes, err := strconv.ParseBool(word); err == nil { // else KEDA takes it for a yes
		pauses = yes
	}
	switch {
	case there && !isNumber:
		return fmt.Errorf("this ScaledObject has an annotation %s of which KEDA makes nothing, %s; write a number, or remove it", pausedReplicas, quoted(text))
	case there:
		if n > 0 {
			text = shared(text)
			o.Pause = &text
		}
	case pauses:
		return fmt.Errorf("this ScaledObject has the annotation %s, so KEDA would not wake what a window has put to sleep; remove it", paused)
	default:
		o.Writer.Unsaid = true // what a window has put there, somebody has removed
	}
	return nil
}

// pauseAt reads a number of replicas as KEDA does. What no API server has room for is none.
func pauseAt(text string) (int32, bool) {
	n, err := strconv.ParseInt(text, 10, 32)
	return int32(n), err == nil && n >= 0 && len(text) < longestPause
}

// longestPause is more bytes than any number has that somebody wrote by hand.
const longestPause = 32

// targetOf is what a ScaledObject scales: a Deployment, if it does not say.
func targetOf(u *unstructured.Unstructured) (*Target, error) {
	ref, _, err := unstructured.NestedMap(u.Object, "spec", "scaleTargetRef")
	if err != nil {
		return nil, errors.New("this ScaledObject scales nothing: its spec.scaleTargetRef is no object; write there what it scales")
	}
	name, _, err := unstructured.NestedString(ref, "name")
	if err != nil || name == "" {
		return nil, errors.New("this ScaledObject scales nothing: its spec.scaleTargetRef.name is missing; write there what it scales")
	}
	kind, _, err := unstructured.NestedString(ref, "kind")
	if err != nil {
		return nil, errors.New("this ScaledObject scales nothing: its spec.scaleTargetRef.kind is no text; write there what it scales")
	}
	if kind == "" {
		kind = Deployment.Name
	}
	return &Target{shared(kind), cache.NewObjectName(shared(u.GetNamespace()), name)}, nil
}

// Fields is the annotation.
func (scaledObject) Fields() [][]string {
	return [][]string{{"f:metadata", "f:annotations", "f:" + pausedReplicas}}
}

// Write sets the annotation, and in the same request remembers or forgets what was there.
func (scaledObject) Write(o *Object, size int32, patch Patch) {
	set := func(key string, value *string) {
		if value != nil {
			patch.Set(*value, "metadata", "annotations", key)
		} else {
			patch.Set(nil, "metadata", "annotations", key)
		}
	}
	remembered := o.Annotations[annotation.RememberedPause]
	switch n, isNumber := pauseAt(remembered); {
	case size == off:
		patch.Set("0", "metadata", "annotations", pausedReplicas)
		set(annotation.RememberedPause, o.Pause)
	case isNumber && n > 0:
		set(pausedReplicas, &remembered)
		set(annotation.RememberedPause, nil)
	default: // nothing was there, or somebody has thrown it away
		set(pausedReplicas, nil)
		set(annotation.RememberedPause, nil)
	}
}

// quoted is a text as a message says it.
func quoted(text string) string {
	const longest = 60
	if len(text) > longest {
		text = text[:longest] + "…"
	}
	return strconv.Quote(text)
}
