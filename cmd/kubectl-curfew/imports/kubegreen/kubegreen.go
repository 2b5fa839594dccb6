// Package kubegreen translates the SleepInfos of kube-green into Curfew's annotations.
//
// A SleepInfo has two times on the same weekdays. At the one, kube-green takes the Deployments of the namespace to 0, and
// StatefulSets and CronJobs if it is told so, and notes what they were; at the other, it gives back what it has noted. So Monday to Friday, 20:00 and 08:00, means asleep
// from Friday 20:00 to Monday 08:00 too.
package kubegreen

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"curfew/cmd/kubectl-curfew/imports/translate"
	"curfew/cmd/kubectl-curfew/manifest"
	"curfew/scaler/annotation"
)

const tool = "kube-green"

// Translate is a [translate.Translator]. What holds for a namespace goes onto the Namespace; a Deployment for which
// something else holds gets annotations of its own.
func Translate(objects []manifest.Object) []translate.Translation {
	infos := map[string][]info{}
	var namespaces []string
	for _, o := range objects {
		if translate.Is(o, "kube-green.com", "SleepInfo") {
			ns := o.GetNamespace()
			if infos[ns] == nil {
				namespaces = append(namespaces, ns)
			}
			infos[ns] = append(infos[ns], read(objects, o))
		}
	}
	var all []translate.Translation
	for _, ns := range namespaces {
		all = append(all, namespace(objects, ns, infos[ns], asleep(infos))...)
	}
	return all
}

// asleep are the kinds that sleep anywhere, which the controller has to look after then. It does so in every namespace.
func asleep(infos map[string][]info) []schema.GroupKind {
	kinds := []schema.GroupKind{translate.Deployment}
	for _, some := range infos {
		for _, i := range some {
			kinds = append(kinds, i.kinds...)
		}
	}
	slices.SortFunc(kinds, func(a, b schema.GroupKind) int { return strings.Compare(a.String(), b.String()) })
	return slices.Compact(kinds)
}

// namespace translates the SleepInfos of one namespace. kinds are those that the controller will look after.
func namespace(objects []manifest.Object, ns string, infos []info, kinds []schema.GroupKind) []translate.Translation {
	if refused := refusals(infos); len(refused) > 0 {
		return refused
	}
	anywhere := func(i info) bool { return i.include == nil }
	usual := only(infos, anywhere)
	var all []translate.Translation
	if len(usual) > 0 {
		target := translate.Target{GroupKind: translate.Namespace, Name: ns}
		t := said(target, usual)
		if ns == "" {
			t.Refuse("%s names no namespace, and its rules go onto the Namespace; write metadata.namespace and import again.", usual[0].object.Name())
		}
		if translate.ForeignNamespace(ns) {
			t.Refuse("Workloads in %s take no rules over from it; annotate each of them that is to sleep.", ns)
		}
		for _, kind := range kinds {
			if slices.ContainsFunc(usual, func(i info) bool { return i.suspends(kind) }) {
				t.Kinds = append(t.Kinds, translate.KindOf(kind))
				continue
			}
			t.Differ(fmt.Sprintf("%s leaves each %s in it alone. Those that come later, or were not read, need curfew/windows: none.", tool, kind.Kind))
		}
		t.Finish()
		all = append(all, t)
	}
	for _, w := range mentioned(objects, ns, infos, kinds) {
		mine := only(infos, func(i info) bool { return i.covers(w) })
		if slices.EqualFunc(mine, usual, func(a, b info) bool { return a.object.Unstructured == b.object.Unstructured }) {
			continue
		}
		target := translate.Target{GroupKind: w.kind, Namespace: ns, Name: w.name}
		t := translate.Translation{Target: target, Set: map[string]string{annotation.Windows: annotation.OptOut}}
		if len(mine) > 0 {
			t = said(target, mine)
			t.Differ(translate.Autoscaled(objects, target))
		} else {
			for _, i := range usual {
				t.From = append(t.From, i.object)
			}
		}
		if len(all) > 0 && len(all[0].Unsaid) > 0 && all[0].Target.GroupKind == translate.Namespace && len(mine) == 0 {
			continue // there are no rules on the Namespace to opt out of
		}
		t.Finish()
		all = append(all, t)
	}
	return all
}

// refusals are the translations of SleepInfos of which one or more cannot be told. Then none of the namespace is: what
// the others mean depends on it.
func refusals(infos []info) []translate.Translation {
	var bad []string
	for _, i := range infos {
		if len(i.unsaid) > 0 {
			bad = append(bad, i.object.Name())
		}
	}
	if bad == nil {
		return nil
	}
	var all []translate.Translation
	for _, i := range infos {
		t := translate.Translation{Target: i.target(), From: []manifest.Object{i.object}, Unsaid: i.unsaid}
		if len(i.unsaid) == 0 {
			t.Refuse("%s, of the same namespace, cannot be said, and what sleeps depends on both.", translate.Join(bad))
		}
		all = append(all, t)
	}
	return translate.Merge(all, func(target translate.Target, group []translate.Translation) translate.Translation {
		t := translate.Translation{Target: target}
		for _, o := range group {
			t.From = append(t.From, o.From...)
			for _, reason := range o.Unsaid {
				t.Refuse("%s: %s", o.From[0].Name(), reason)
			}
		}
		return t
	})
}

func only(infos []info, which func(info) bool) []info {
	var some []info
	for _, i := range infos {
		if which(i) {
			some = append(some, i)
		}
	}
	return some
}

// said is what several SleepInfos together say about one target.
func said(target translate.Target, infos []info) translate.Translation {
	t := translate.Translation{Target: target}
	for _, i := range infos {
		t.From = append(t.From, i.object)
	}
	rules, err := together(infos)
	if err != nil {
		t.Refuse("%s.", strings.TrimSuffix(err.Error(), "."))
		return t
	}
	t.Set = translate.Annotations(rules, infos[0].zone.String(), -1)
	for _, i := range infos {
		for _, d := range i.differences {
			t.Differ(d)
		}
	}
	t.Differ(tool + " passes over a time that it misses by more than a minute, until the next such time. Curfew is right again as soon as it runs.")
	t.Differ(tool + " acts at its times alone: what is created, deployed or scaled up in between stays up until the next time to sleep, " +
		"and what somebody scaled is not woken. Curfew puts it back, and gives back what it took.")
	for _, i := range infos {
		t.Differ(translate.ClockChanges(tool, i.zone, i.sleep, i.wake))
	}
	return t
}

// workload is one that is known by name, and perhaps its labels.
type workload struct {
	kind   schema.GroupKind
	name   string
	labels map[string]string
}

// mentioned are the workloads of some kinds in a namespace that were read or that a SleepInfo names, sorted by kind and name.
func mentioned(objects []manifest.Object, ns string, infos []info, kinds []schema.GroupKind) []workload {
	var all []workload
	for _, kind := range kinds {
		found := map[string]workload{}
		for _, i := range infos {
			for _, name := range i.names(kind) {
				found[name] = workload{kind, name, nil}
			}
		}
		for _, o := range translate.Workloads(objects, kind, ns, labels.Everything()) {
			found[o.GetName()] = workload{kind, o.GetName(), o.GetLabels()}
		}
		for _, name := range slices.Sorted(maps.Keys(found)) {
			all = append(all, found[name])
		}
	}
	return all
}
