// Package live reads from a cluster what the plugin's commands need, with the caller's own rights and nothing else.
package live

import (
	"fmt"
	"io"
	"sync"

	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"curfew/cmd/internal/version"
	"curfew/cmd/kubectl-curfew/output"
	"curfew/scaler/kind"
)

// FieldManager is the name under which the plugin owns what it writes.
const FieldManager = "kubectl-curfew"

// Access is the way to a cluster that the usual flags of kubectl describe. Nothing is read before it is asked for.
type Access struct {
	flags  *genericclioptions.ConfigFlags
	errOut io.Writer

	warning sync.Mutex // watches run side by side
	warned  map[string]bool

	finding sync.Mutex
	kinds   []*kind.Kind // those that Curfew does not know by itself and that were looked for: there is one of each
}

// NewAccess returns an Access that warns on errOut of what it may not read, and of what the API server warns of.
func NewAccess(errOut io.Writer) *Access {
	a := &Access{flags: genericclioptions.NewConfigFlags(true).WithDiscoveryBurst(300).WithDiscoveryQPS(50), errOut: errOut, warned: map[string]bool{}}
	a.flags.WrapConfigFn = func(c *rest.Config) *rest.Config {
		c.UserAgent = FieldManager + "/" + version.String()
		c.QPS, c.Burst = 50, 100 // as kubectl has it: a person waits for this
		c.WarningHandler = a
		return c
	}
	return a
}

// HandleWarningHeader passes on what the API server, or a policy in it, has to say of a request.
func (a *Access) HandleWarningHeader(code int, _, text string) {
	if code == miscellaneous && text != "" {
		a.warn("%s", text)
	}
}

// miscellaneous is the only code of a warning that API servers use.
const miscellaneous = 299

// AddFlags adds the usual flags: --namespace, --context, --kubeconfig and so on.
func (a *Access) AddFlags(flags *pflag.FlagSet) { a.flags.AddFlags(flags) }

// Client returns the client for the API server.
func (a *Access) Client() (kubernetes.Interface, error) {
	config, err := a.flags.ToRESTConfig()
	if err != nil {
		return nil, err
	}
	return kubernetes.NewForConfig(config)
}

// Getter is what the resource builder of cli-runtime wants.
func (a *Access) Getter() genericclioptions.RESTClientGetter { return a.flags }

// Namespace is the one that --namespace or the context names.
func (a *Access) Namespace() (string, error) {
	namespace, _, err := a.flags.ToRawKubeConfigLoader().Namespace()
	return namespace, err
}

// warn says something once.
func (a *Access) warn(format string, args ...any) {
	text := output.Safe(fmt.Sprintf(format, args...))
	a.warning.Lock()
	defer a.warning.Unlock()
	if !a.warned[text] {
		a.warned[text] = true
		fmt.Fprintln(a.errOut, "warning:", text)
	}
}
