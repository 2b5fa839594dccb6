package plan

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/client-go/tools/cache"

	"curfew/cmd/kubectl-curfew/exit"
	"curfew/cmd/kubectl-curfew/manifest"
	"curfew/cmd/kubectl-curfew/output"
	"curfew/scaler/kind"
	"curfew/scaler/observe"
)

// old finds what an object is compared with: its annotations and its normal size. The text says why there is nothing,
// where there is nothing. The Namespace's annotations are those that count where the new manifests say nothing of it.
type old func(key kind.Key) (was sized, namespace map[string]string, missing string, errs []error)

func (o *options) runDiff(ctx context.Context) error {
	objects, errs := manifest.Read(o.files, o.recursive, o.streams.In)
	is := o.filesOf(objects)
	find, err := o.old(ctx, is)
	if err != nil {
		return o.failed(errors.Join(append(errs, err)...))
	}
	var all []compared
	for object, k := range is.planned {
		was, namespace, missing, mistakes := find(kind.Key{Kind: k, ObjectName: o.nameOf(object)})
		errs = append(errs, mistakes...)
		if in, ok := is.namespaces[object.GetNamespace()]; ok {
			namespace = in
		}
		s, ok, mistakes := is.subject(object, k, namespace)
		errs = append(errs, mistakes...)
		if !ok || !s.asks() && was.workload.Spec.Schedule == nil && len(was.workload.Spec.Overrides) == 0 {
			continue
		}
		c, err := o.compare(s, was)
		if err != nil {
			return o.failed(err)
		}
		c.Old = missing
		if !c.all {
			errs = append(errs, o.tooMany(s.place, "differences", c.Differences[len(c.Differences)-1].To.In(s.zone)))
		}
		all = append(all, c)
	}
	if len(all) == 0 && len(errs) == 0 {
		errs = append(errs, fmt.Errorf("there is nothing to compare; nothing that Curfew looks after has rules, new or old, among %d objects read", len(objects)))
	}
	differs, err := o.printDiff(all)
	if err = errors.Join(append(errs, err)...); err != nil {
		return o.failed(err)
	}
	if differs {
		return exit.Silently(exit.Failed)
	}
	return nil
}

func (o *options) compare(s subject, was sized) (compared, error) {
	from, to, err := o.span(s.zone)
	if err != nil {
		return compared{}, err
	}
	is := sized{s.workload, s.normal, was.uid, s.kind}
	if is.normal == nil {
		is.normal = was.normal // what Curfew remembers stays remembered
	}
	if is.normal == nil {
		is.normal = s.size
	}
	if was.normal == nil {
		was.normal = is.normal
	}
	was.kind = s.kind
	if is.workload.Spec.Replicas == nil {
		is.workload.Spec.Remembered = is.normal
	}
	if was.uid != "" { // it is the same object, and moved alike
		is.workload.Shift = observe.Shift(was.uid, is.workload.Spec.Spread)
	}
	is.workload.Autoscaler = was.workload.Autoscaler
	s.normal, s.workload, s.uid = is.normal, is.workload, was.uid
	c := compared{subject: s, from: from, to: to, diffItem: diffItem{Kind: s.kindName(), Namespace: s.namespace, Name: s.name, Timezone: s.zone.String()}}
	c.Differences, c.all = compare(was, is, from, to, o.limit)
	return c, nil
}

// old reads what to compare with: manifests, or else the cluster.
func (o *options) old(ctx context.Context, is *files) (old, error) {
	if len(o.against) > 0 {
		before, errs := manifest.Read(o.against, o.recursive, o.streams.In)
		return o.oldManifests(o.filesOf(before)), errors.Join(errs...)
	}
	var keys []kind.Key
	for object, k := range is.planned {
		keys = append(keys, kind.Key{Kind: k, ObjectName: o.nameOf(object)})
	}
	found, err := o.access.Find(ctx, keys, o.settings())
	return func(key kind.Key) (was sized, namespace map[string]string, missing string, errs []error) {
		l := found[key]
		if l.Object.Object == nil {
			return sized{}, l.Inherited, "It is not in the cluster, so this compares with no rules at all.", nil
		}
		s, ok, errs := ofLive(l)
		if !ok {
			return sized{}, l.Inherited, "What is in the cluster makes no sense, so this compares with no rules at all.", errs
		}
		return sized{s.workload, s.normal, s.uid, s.kind}, l.Inherited, "", errs
	}, err
}

func (o *options) oldManifests(before *files) old {
	return func(key kind.Key) (was sized, namespace map[string]string, missing string, errs []error) {
		for _, object := range before.objects {
			if object.GroupVersionKind().GroupKind() != key.Kind.GroupKind() || o.nameOf(object) != key.ObjectName {
				continue
			}
			in := before.namespaces[object.GetNamespace()]
			s, ok, errs := before.subject(object, key.Kind, in)
			if !ok {
				return sized{}, in, "The old manifest makes no sense, so this compares with no rules at all.", errs
			}
			normal := s.normal
			if normal == nil {
				normal = s.size
			}
			return sized{s.workload, normal, "", s.kind}, in, "", errs
		}
		return sized{}, before.namespaces[key.Namespace], "It is not in the old manifests, so this compares with no rules at all.", nil
	}
}

// nameOf is the name that an apply would give an object, whose manifest may leave its namespace to the context.
func (o *options) nameOf(object manifest.Object) cache.ObjectName {
	name := cache.ObjectName{Namespace: object.GetNamespace(), Name: object.GetName()}
	if name.Namespace == "" && len(o.against) == 0 {
		name.Namespace, _ = o.access.Namespace() // reading the cluster says what is wrong with the configuration
	}
	return name
}

// printDiff prints the comparisons, and reports whether anything differs.
func (o *options) printDiff(all []compared) (differs bool, err error) {
	list := itemList[diffItem]{Items: []diffItem{}}
	for _, c := range all {
		differs = differs || len(c.Differences) > 0
		list.Items = append(list.Items, c.diffItem)
	}
	switch o.output {
	case "json":
		return differs, output.JSON(o.streams.Out, list)
	case "yaml":
		return differs, output.YAML(o.streams.Out, list)
	}
	for i, c := range all {
		if i > 0 {
			fmt.Fprintln(o.streams.Out)
		}
		if err := c.print(o.streams.Out); err != nil {
			return differs, err
		}
	}
	return differs, nil
}
