package cronjob

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"curfew/cmd/kubectl-curfew/imports/translate"
	"curfew/timewindow"
)

// scaling is a kubectl that scales.
type scaling struct {
	namespace string // as given; "" is that of the CronJob
	resources []resource
	selector  labels.Selector  // of those of a kind; nil: those named
	wide      string           // the flag that gave the selector
	widely    schema.GroupKind // that kind
	size      int32
	suspends  bool // the size is 0 for suspended, and 1
}

type resource struct {
	kind schema.GroupKind
	name string
}

// kinds are the names of what has a size, by what kubectl takes for them.
var kinds = map[string]schema.GroupKind{
	"deployment": translate.Deployment, "deployments": translate.Deployment, "deploy": translate.Deployment,
	"statefulset": translate.StatefulSet, "statefulsets": translate.StatefulSet, "sts": translate.StatefulSet,
	"rollout": translate.Rollout, "rollouts": translate.Rollout, "ro": translate.Rollout,
	"cronjob": translate.CronJob, "cronjobs": translate.CronJob, "cj": translate.CronJob,
	"horizontalpodautoscaler": translate.Autoscaler, "horizontalpodautoscalers": translate.Autoscaler, "hpa": translate.Autoscaler,
	"replicaset": replicaSet, "replicasets": replicaSet, "rs": replicaSet,
	"replicationcontroller": replicationController, "replicationcontrollers": replicationController, "rc": replicationController,
}

var (
	replicaSet            = schema.GroupKind{Group: "apps", Kind: "ReplicaSet"}
	replicationController = schema.GroupKind{Kind: "ReplicationController"}
)

// fields are where a kind has its size, if that is not spec.replicas.
var fields = map[schema.GroupKind]string{translate.CronJob: "suspend", translate.Autoscaler: "minReplicas"}

// sizeOf is where a kind has its size.
func sizeOf(kind schema.GroupKind) string { return cmp.Or(fields[kind], "replicas") }

// looks are the subcommands of kubectl that change nothing.
var looks = []string{"get", "describe", "version", "wait", "logs", "top", "events", "explain", "api-resources", "cluster-info"}

// kubectl reads the words of a kubectl. It is nil if it changes nothing.
func kubectl(words []string) (*scaling, error) {
	if path.Base(words[0]) != "kubectl" {
		return nil, fmt.Errorf("%s is not kubectl; write the rules by hand", translate.Quote(words[0]))
	}
	show := translate.Quote(strings.Join(words, " "))
	flags := pflag.NewFlagSet("kubectl", pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	namespace := flags.StringP("namespace", "n", "", "")
	replicas := flags.String("replicas", "", "")
	selector := flags.StringP("selector", "l", "", "")
	all := flags.Bool("all", false, "")
	patch := flags.StringP("patch", "p", "", "")
	kind := flags.String("type", "strategic", "")
	for _, name := range []string{"timeout", "request-timeout", "v", "as", "cache-dir", "field-manager"} { // nothing that matters here
		flags.String(name, "", "")
	}
	flags.StringP("output", "o", "", "")
	for _, name := range []string{"record", "wait", "insecure-skip-tls-verify", "match-server-version", "warnings-as-errors"} {
		flags.Bool(name, false, "")
	}
	odd := []string{"context", "cluster", "kubeconfig", "server", "current-replicas", "resource-version", "dry-run", "filename", "kustomize", "patch-file", "subresource", "user", "token"}
	for _, name := range odd {
		flags.StringP(name, map[string]string{"server": "s", "filename": "f", "kustomize": "k"}[name], "", "")
	}
	flags.Lookup("dry-run").NoOptDefVal = "unchanged"
	flags.BoolP("all-namespaces", "A", false, "")
	if slices.ContainsFunc(words[1:], func(w string) bool { return slices.Contains(looks, w) }) && !slices.Contains(words, "scale") && !slices.Contains(words, "patch") {
		return nil, nil
	}
	if err := flags.Parse(words[1:]); err != nil {
		return nil, fmt.Errorf("%s: %s; write the rules by hand", show, translate.Quote(err.Error()))
	}
	args := flags.Args()
	if len(args) > 1 && args[0] == "rollout" && args[1] == "status" {
		return nil, nil
	}
	for _, name := range append(odd, "all-namespaces") {
		f := flags.Lookup(name)
		if usual := map[string]string{"dry-run": "none", "current-replicas": "-1"}[name]; f.Changed && (usual == "" || f.Value.String() != usual) {
			return nil, fmt.Errorf("%s has --%s, and so whether and what it scales here cannot be told; take it out, or write the rules by hand", show, name)
		}
	}
	c := &scaling{namespace: *namespace}
	text, field := *replicas, "replicas"
	switch {
	case len(args) == 0:
		return nil, fmt.Errorf("%s is not understood; write the rules by hand", show)
	case args[0] == "patch":
		if *all || *selector != "" {
			return nil, fmt.Errorf("%s: kubectl patch takes names only; write the rules by hand", show)
		}
		var given bool
		if text, field, given = patched(*patch, *kind); !given {
			return nil, fmt.Errorf("%s changes something else than a size, such as spec.replicas, which Curfew does not; write the rules by hand", show)
		}
		c.suspends = field == fields[translate.CronJob]
	case args[0] != "scale":
		return nil, fmt.Errorf("%s changes something else than a size; write the rules by hand", show)
	}
	size, err := strconv.ParseInt(text, 10, 32)
	if err != nil || size < 0 || size > timewindow.MaxReplicas {
		return nil, fmt.Errorf("%s: %s is not a number of replicas from 0 to %d", show, translate.Quote(text), timewindow.MaxReplicas)
	}
	c.size = int32(size)
	if err := c.name(args[1:], *all, *selector); err != nil {
		return nil, fmt.Errorf("%s: %w", show, err)
	}
	for _, r := range c.resources {
		if field != sizeOf(r.kind) {
			return nil, fmt.Errorf("%s: the size of a %s is not spec.%s; write the rules by hand", show, r.kind.Kind, field)
		}
	}
	if c.selector != nil && field != sizeOf(c.widely) {
		return nil, fmt.Errorf("%s: the size of a %s is not spec.%s; write the rules by hand", show, c.widely.Kind, field)
	}
	return c, nil
}

// name reads what is to be scaled: TYPE/NAME …, TYPE NAME …, or TYPE with --all or a selector.
func (c *scaling) name(args []string, all bool, selector string) error {
	kindOf := func(text string) (schema.GroupKind, error) {
		name, group, _ := strings.Cut(strings.ToLower(text), ".")
		kind, ok := kinds[name]
		if !ok || group != "" && group != kind.Group && !strings.HasSuffix(group, "."+kind.Group) {
			return kind, fmt.Errorf("%s is not a kind that this import knows; write the rules by hand", translate.Quote(text))
		}
		return kind, nil
	}
	if len(args) == 0 {
		return errors.New("it names nothing to scale")
	}
	if strings.Contains(args[0], "/") {
		if all || selector != "" {
			return errors.New("it has both names and --all or a selector, which kubectl refuses")
		}
		for _, a := range args {
			text, name, ok := strings.Cut(a, "/")
			kind, err := kindOf(text)
			if err != nil {
				return err
			}
			if !ok || name == "" || strings.Contains(name, "/") {
				return fmt.Errorf("%s is not a kind, a stroke and a name", translate.Quote(a))
			}
			c.resources = append(c.resources, resource{kind, name})
		}
		return nil
	}
	var found []schema.GroupKind
	for text := range strings.SplitSeq(args[0], ",") {
		kind, err := kindOf(text)
		if err != nil {
			return err
		}
		found = append(found, kind)
	}
	wide := all || selector != ""
	switch {
	case wide && len(args) > 1:
		return errors.New("it has both names and --all or a selector, which kubectl refuses")
	case !wide && len(args) == 1:
		return errors.New("it names nothing to scale")
	case wide && len(found) > 1:
		return errors.New("it scales several kinds by one selector; give each a kubectl of its own, and import again")
	case wide && translate.KindOf(found[0]) == nil:
		return fmt.Errorf("it scales every %s that matches, which Curfew does not scale; leave that to the CronJob, in one of its own", found[0].Kind)
	case wide:
		c.widely = found[0]
		var err error
		if c.selector, err = labels.Parse(selector); err != nil {
			return fmt.Errorf("the selector %s makes no sense: %s", translate.Quote(selector), translate.Quote(err.Error()))
		}
		c.wide = "--all"
		if selector != "" {
			c.wide = "-l " + translate.Quote(selector)
		}
		return nil
	}
	for _, kind := range found {
		for _, name := range args[1:] {
			if name == "" || strings.Contains(name, "/") {
				return fmt.Errorf("%s is not a name", translate.Quote(name))
			}
			c.resources = append(c.resources, resource{kind, name})
		}
	}
	return nil
}

// patched returns the size that a patch sets and the field of spec which that is, if that is all that it does.
func patched(text, kind string) (size, field string, ok bool) {
	var content any
	if err := yaml.Unmarshal([]byte(text), &content); err != nil {
		return "", "", false
	}
	var value any
	switch content := content.(type) {
	case []any:
		if len(content) != 1 || kind != "json" {
			return "", "", false
		}
		step, _ := content[0].(map[string]any)
		path, _ := step["path"].(string)
		if step["op"] != "replace" && step["op"] != "add" || len(step) != 3 {
			return "", "", false
		}
		field, value = strings.TrimPrefix(path, "/spec/"), step["value"]
	case map[string]any:
		spec, _ := content["spec"].(map[string]any)
		if kind == "json" || len(content) != 1 || len(spec) != 1 {
			return "", "", false
		}
		for name := range spec {
			field, value = name, spec[name]
		}
	}
	if field == fields[translate.CronJob] {
		switch value {
		case true:
			return "0", field, true
		case false:
			return "1", field, true
		}
		return "", "", false
	}
	n, whole := value.(float64)
	return strconv.FormatInt(int64(n), 10), field, whole && n == float64(int64(n)) && (field == "replicas" || field == fields[translate.Autoscaler])
}
