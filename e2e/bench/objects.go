package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"curfew/e2e/harness"
)

// busy is how many requests are made at once where they should be done soon.
const busy = 32

// createObjects makes the Deployments, with their next boundary at the window's
// start: applied by one tool, and their status written by the controllers.
func (s *stage) createObjects(ctx context.Context, window harness.Window) error {
	for i := 0; i < s.objects; i += perNamespace {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespaceOf(i)}}
		if _, err := s.cluster.Client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	return each(ctx, s.objects, busy, func(ctx context.Context, i int) error {
		deployment := manifest(i, window)
		if err := s.patch(ctx, s.admin, deployment.Namespace, deployment.Name, "", types.ApplyPatchType, "argocd-controller", deployment); err != nil || s.controllers {
			return err
		}
		return s.patch(ctx, s.admin, deployment.Namespace, deployment.Name, "status", types.MergePatchType, "kube-controller-manager", controllerStatus(i))
	})
}

// patch sends a patch, in the name of a field manager, and does not look at the
// object that comes back.
func (s *stage) patch(ctx context.Context, client rest.Interface, namespace, name, subresource string, kind types.PatchType, manager string, body any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request := client.Patch(kind).Namespace(namespace).Resource("deployments").Name(name).Param("fieldManager", manager).Body(text)
	if kind == types.ApplyPatchType {
		request.Param("force", "true")
	}
	if subresource != "" {
		request.SubResource(subresource)
	}
	return request.Do(ctx).Error()
}

// setRules gives every object a new window, as the tool would that applied it.
func (s *stage) setRules(ctx context.Context, window harness.Window) error {
	return each(ctx, s.objects, busy, func(ctx context.Context, i int) error {
		body := map[string]any{"metadata": map[string]any{"annotations": rules(i, window)}}
		return s.patch(ctx, s.admin, namespaceOf(i), nameOf(i), "", types.MergePatchType, "argocd-controller", body)
	})
}

// object is what Curfew may change of a Deployment, and what it takes to do so.
type object struct {
	namespace, name string
	uid             types.UID
	version         string
	size            int32
	curfew          map[string]string // its annotations that are Curfew's to write
}

// list are all objects as they are now, in the order in which they were made.
func (s *stage) list(ctx context.Context) ([]object, error) {
	var found []object
	options := metav1.ListOptions{LabelSelector: "app.kubernetes.io/managed-by=Helm", Limit: 2000}
	for {
		page, err := s.cluster.Client.AppsV1().Deployments("").List(ctx, options)
		if err != nil {
			return nil, err
		}
		for _, d := range page.Items {
			found = append(found, objectOf(&d))
		}
		if options.Continue = page.Continue; options.Continue == "" {
			break
		}
	}
	slices.SortFunc(found, func(a, b object) int { return strings.Compare(a.name, b.name) })
	if len(found) != s.objects {
		return nil, fmt.Errorf("there are %d objects, not %d", len(found), s.objects)
	}
	return found, nil
}

func objectOf(d *appsv1.Deployment) object {
	o := object{namespace: d.Namespace, name: d.Name, uid: d.UID, version: d.ResourceVersion, size: harness.Size(d), curfew: map[string]string{}}
	for _, key := range []string{harness.Status, harness.Remembered} {
		if value, ok := d.Annotations[key]; ok {
			o.curfew[key] = value
		}
	}
	return o
}

// change is the patch that makes of an object another state of it, as Curfew writes it.
func (o object) change(to object) any {
	annotations := map[string]*string{}
	for key := range o.curfew {
		annotations[key] = nil
	}
	for key, value := range to.curfew {
		annotations[key] = &value
	}
	maps.DeleteFunc(annotations, func(key string, value *string) bool {
		was, ok := o.curfew[key]
		return value != nil && ok && was == *value
	})
	return map[string]any{
		"metadata": map[string]any{"resourceVersion": o.version, "uid": o.uid, "annotations": annotations},
		"spec":     map[string]any{"replicas": to.size},
	}
}

// isNormal tells whether Curfew has left the object at its normal size and says
// so, until the window starts.
func (o object) isNormal(i int, window harness.Window) bool {
	return o.size == sizeOf(i) && o.says("normal", window.Start)
}

// isDown tells whether Curfew holds the object at 0 and says so, until the
// window ends, and remembers what there is to remember.
func (o object) isDown(i int, window harness.Window) bool {
	remembered := ""
	if i%2 == 1 {
		remembered = fmt.Sprint(sizeOf(i))
	}
	return o.size == 0 && o.says("window", window.End) && o.curfew[harness.Remembered] == remembered
}

// says tells whether Curfew's status says that state, until that instant.
func (o object) says(state string, until time.Time) bool {
	status := harness.ParseStatus(o.curfew[harness.Status])
	if status == nil || status.State != state {
		return false
	}
	said, err := time.Parse(time.RFC3339, status.Until)
	return err == nil && said.Equal(until)
}

// saysState is the same for whatever instant.
func (o object) saysState(state string) bool {
	status := harness.ParseStatus(o.curfew[harness.Status])
	return status != nil && status.State == state
}
