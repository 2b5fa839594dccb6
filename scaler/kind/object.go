package kind

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"

	"curfew/scaler/decide"
)

// Object is what Curfew keeps of an object that has a size, a quarter of what a Deployment of the API takes even when it
// is empty: there is one in the memory for each in the cluster, whether Curfew has anything to do with it or not.
type Object struct {
	metav1.ObjectMeta // its name, version and dates, and Curfew's annotations
	Kind              *Kind

	Size      int32           // the size it asks for; absent is 1, as the API server would have it
	Available int32           // how much of that is there
	Seen      int64           // the generation that its controller has seen
	Writer    decide.Writer   // who set the size
	Woken     time.Time       // when Curfew gave it its size, to the second before; zero if that is 0 or somebody else's
	Ceiling   *decide.Ceiling // the maximum, where the size is a minimum; nil: there is none
	Unfit     string          // why Curfew has to keep its hands off, and the cure; "" if it need not
	Owner     *Owner          // the controller that it belongs to; nil: none
	Target    *Target         // what it scales itself; nil: nothing
	Pause     *string         // the replicas at which its owner has paused what scales, above 0, as written; nil: none
}

// Of is what Curfew keeps of an object of the kind.
func (k *Kind) Of(from Source) *Object {
	o := &Object{Kind: k, ObjectMeta: TrimMeta(from)}
	o.Generation = from.GetGeneration()
	if err := k.Read(from, o); err != nil {
		o.Unfit = err.Error()
	}
	if owner := metav1.GetControllerOfNoCopy(from); owner != nil {
		o.Owner = &Owner{shared(owner.Kind), owner.Name}
		o.Unfit = shared(fmt.Sprintf("this %s belongs to the %s %s, which sets its size; say it there", k.Name, owner.Kind, owner.Name))
	}
	owners := owning(from.GetManagedFields(), k.Fields())
	if len(owners) > 0 {
		o.Writer = writerOf(owners)
	}
	if o.Ceiling != nil {
		o.Ceiling.Writer = writerOf(owning(from.GetManagedFields(), k.Bounded().MaxFields()))
	}
	if o.Size > 0 && o.Writer.Curfew {
		o.Woken = woken(owners)
	}
	return o
}

// Owner is a controller that makes and keeps other objects, in their namespace.
type Owner struct{ Kind, Name string }

// Source is an object as the API server has it: of its type in k8s.io/api, or unstructured.
type Source interface {
	runtime.Object
	metav1.Object
}

// Trim is the transform of an informer for the kind.
func (k *Kind) Trim(obj any) (any, error) {
	from, ok := obj.(Source)
	if _, trimmed := obj.(*Object); !ok || trimmed { // an informer may ask twice
		return obj, nil
	}
	return k.Of(from), nil
}

// Key names the object.
func (o *Object) Key() Key { return Key{o.Kind, cache.MetaObjectToName(o)} }

// Up reports whether everything that an object asks for is available.
func (o *Object) Up() bool { return o.Seen >= o.Generation && o.Available >= o.Size }

// GetObjectKind says what an Object is to the API server, for the events that are about it.
func (o *Object) GetObjectKind() schema.ObjectKind {
	gvk := o.Kind.GroupVersionKind()
	return &metav1.TypeMeta{APIVersion: gvk.GroupVersion().String(), Kind: gvk.Kind}
}

// DeepCopyObject makes an Object a runtime.Object.
func (o *Object) DeepCopyObject() runtime.Object {
	deep := *o
	deep.ObjectMeta = *o.DeepCopy()
	return &deep
}
