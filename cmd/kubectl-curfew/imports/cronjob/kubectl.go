package cronjob

import (
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"

	"curfew/cmd/kubectl-curfew/imports/translate"
	"curfew/timewindow"
)

// scaling is a kubectl that scales.
type scaling struct {
	namespace string // as given; "" is that of the CronJob
	resources []resource
	selector  labels.Selector // of Deployments; nil: those named
	wide      string          // the flag that gave the selector
	size      int32
}

type resource struct{ kind, name string }

// kinds are the names of what has a size, by what kubectl takes for them.
var kinds = map[string]string{
	"deployment": "Deployment", "deployments": "Deployment", "deploy": "Deployment",
	"statefulset": "StatefulSet", "statefulsets": "StatefulSet", "sts": "StatefulSet",
	"replicaset": "ReplicaSet", "replicasets": "ReplicaSet", "rs": "ReplicaSet",
	"replicationcontroller": "ReplicationController", "replicationcontrollers": "ReplicationController", "rc": "ReplicationController",
}

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
	text := *replicas
	switch {
	case len(args) == 0:
		return nil, fmt.Errorf("%s is not understood; write the rules by hand", show)
	case args[0] == "patch":
		if *all || *selector != "" {
			return nil, fmt.Errorf("%s: kubectl patch takes names only; write the rules by hand", show)
		}
		var given bool
		if text, given = patched(*patch, *kind); !given {
			return nil, fmt.Errorf("%s changes something else than spec.replicas, which Curfew does not; write the rules by hand", show)
		}
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
	return c, nil
}

// name reads what is to be scaled: TYPE/NAME …, TYPE NAME …, or TYPE with --all or a selector.
func (c *scaling) name(args []string, all bool, selector string) error {
	kindOf := func(text string) (string, error) {
		name, group, _ := strings.Cut(strings.ToLower(text), ".")
		kind, ok := kinds[name]
		if !ok || group != "" && group != "apps" && !strings.HasSuffix(group, ".apps") {
			return "", fmt.Errorf("%s is not a kind that this import knows; write the rules by hand", translate.Quote(text))
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
	var found []string
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
	case wide && !slices.Equal(found, []string{translate.Deployment}):
		return fmt.Errorf("it scales every %s that matches, and Curfew scales Deployments only; leave that to the CronJob, in one of its own", translate.Join(found))
	case wide:
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

// patched returns the size that a patch sets, if that is all that it does.
func patched(text, kind string) (string, bool) {
	var content any
	if err := yaml.Unmarshal([]byte(text), &content); err != nil {
		return "", false
	}
	var value any
	switch content := content.(type) {
	case []any:
		if len(content) != 1 || kind != "json" {
			return "", false
		}
		step, _ := content[0].(map[string]any)
		if step["path"] != "/spec/replicas" || step["op"] != "replace" && step["op"] != "add" || len(step) != 3 {
			return "", false
		}
		value = step["value"]
	case map[string]any:
		spec, _ := content["spec"].(map[string]any)
		if kind == "json" || len(content) != 1 || len(spec) != 1 {
			return "", false
		}
		value = spec["replicas"]
	}
	if n, ok := value.(float64); ok && n == float64(int64(n)) {
		return strconv.FormatInt(int64(n), 10), true
	}
	return "", false
}
