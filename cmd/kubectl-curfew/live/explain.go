package live

import (
	"errors"
	"fmt"
	stdnet "net"
	"net/url"
	"regexp"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/tools/clientcmd"
)

// refusal is how the API server says that somebody may not do something.
var refusal = regexp.MustCompile(`User "(.*)" cannot (\S+) resource "([^"]*)" in API group "([^"]*)"(?: in the namespace "([^"]*)"| at the cluster scope)?`)

// nowhere is where client-go looks for an API server when nothing says where there is one.
const nowhere = "http://localhost:8080/"

// Explain says what to do about an error on the way to the API server, and which right is missing where it is that.
func Explain(err error) error {
	var unreachable *url.Error
	var unknown *stdnet.DNSError
	switch {
	case err == nil:
		return nil
	case apierrors.IsForbidden(err):
		return forbidden(err)
	case apierrors.IsUnauthorized(err):
		return fmt.Errorf("the API server does not know who you are: %w; log in again, or choose another --context", err)
	case clientcmd.IsEmptyConfig(err) || errors.As(err, &unreachable) && strings.HasPrefix(unreachable.URL, nowhere):
		return errors.New("there is no cluster to ask; set KUBECONFIG, or name a file with --kubeconfig")
	case errors.As(err, &unreachable) && (net.IsConnectionRefused(err) || net.IsTimeout(err) || errors.As(err, &unknown)):
		return fmt.Errorf("cannot reach the API server: %w; is it the right --context?", err)
	}
	if m := noContext.FindStringSubmatch(err.Error()); m != nil {
		return fmt.Errorf("there is no context %q; kubectl config get-contexts lists those that there are", m[1]+m[2])
	}
	return err
}

// noContext is how client-go says that a context is not in the configuration.
var noContext = regexp.MustCompile(`^(?:invalid configuration: )?(?:context was not found for specified context: (.*)|context "(.*)" does not exist)$`)

func forbidden(err error) error {
	m := refusal.FindStringSubmatch(err.Error())
	if m == nil {
		return err
	}
	user, verb, resource, group, namespace := m[1], m[2], m[3], m[4], m[5]
	if group != "" {
		resource += "." + group
	}
	where, flag := "in the whole cluster", "-A"
	if namespace != "" {
		where, flag = "in the namespace "+namespace, "-n "+namespace
	}
	return fmt.Errorf("the right to %s %s %s is missing; whoever manages the cluster can give it to %q (kubectl auth can-i %s %s %s tells when it is there)",
		verb, resource, where, user, verb, resource, flag)
}
