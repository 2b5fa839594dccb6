package e2e_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"curfew/e2e/build"
)

// plugin is the path of the kubectl-curfew binary.
var plugin = sync.OnceValues(func() (string, error) {
	c, err := shared.getCluster()
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	return build.Program(ctx, c.Module(), "kubectl-curfew", io.Discard)
})

// answer is what a command said.
type answer struct {
	code           int
	stdout, stderr string
}

// curfew runs "kubectl curfew" with these arguments in the test's namespace, as the
// cluster's admin: kubectl finds the plugin and runs it.
func (s *space) curfew(args ...string) answer {
	s.Helper()
	return s.curfewInput("", args...)
}

// curfewInput is curfew with an input.
func (s *space) curfewInput(input string, args ...string) answer {
	s.Helper()
	var stdout, stderr bytes.Buffer
	command := s.pluginCommand(args...)
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(input), &stdout, &stderr
	if err := command.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		s.Fatal(err)
	}
	return answer{command.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// pluginCommand is the command line of curfew, not started.
func (s *space) pluginCommand(args ...string) *exec.Cmd {
	s.Helper()
	path, err := plugin()
	s.must(err)
	command := exec.CommandContext(s.ctx, s.cluster.Kubectl, append([]string{"curfew", "-n", s.namespace}, args...)...)
	command.Env = append(os.Environ(), "PATH="+filepath.Dir(path)+":"+os.Getenv("PATH"), "KUBECONFIG="+s.cluster.Kubeconfig)
	return command
}

// want fails unless the answer is this one.
func (a answer) want(t testing.TB, code int, stdout, stderr string) {
	t.Helper()
	if diff := cmp.Diff(answer{code, strings.TrimPrefix(stdout, "\n"), strings.TrimPrefix(stderr, "\n")}, a, cmp.AllowUnexported(answer{})); diff != "" {
		t.Errorf("- want, + got\n%s", diff)
	}
}

// allow gives a user of that name rights in the test's namespace. The plugin acts as
// the user with --as.
func (s *space) allow(user string, rules ...rbacv1.PolicyRule) {
	s.Helper()
	s.allowTo(rbacv1.Subject{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: user}, user, rules...)
}

// allowTo gives somebody rights in the test's namespace, by a role of that name.
func (s *space) allowTo(who rbacv1.Subject, role string, rules ...rbacv1.PolicyRule) {
	s.Helper()
	meta := metav1.ObjectMeta{Name: role, Namespace: s.namespace}
	rbac := s.cluster.Client.RbacV1()
	_, err := rbac.Roles(s.namespace).Create(s.ctx, &rbacv1.Role{ObjectMeta: meta, Rules: rules}, metav1.CreateOptions{})
	s.must(err)
	_, err = rbac.RoleBindings(s.namespace).Create(s.ctx, &rbacv1.RoleBinding{
		ObjectMeta: meta,
		Subjects:   []rbacv1.Subject{who},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role},
	}, metav1.CreateOptions{})
	s.must(err)
}

// TestPluginRuns runs the plugin as kubectl finds it.
func TestPluginRuns(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	if a := s.curfew("version"); a.code != 0 || !strings.HasPrefix(a.stdout, "kubectl-curfew v") || a.stderr != "" {
		t.Errorf("%+v", a)
	}
}
