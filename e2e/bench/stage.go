package bench

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"curfew/e2e/build"
	"curfew/e2e/cluster"
	"curfew/e2e/harness"
)

//go:embed policy.yaml
var auditPolicy []byte

// stage is a cluster with so many Deployments, in which Curfew is installed.
type stage struct {
	*Options
	objects     int
	controllers bool
	result      *Result

	cluster    *cluster.Cluster
	admin      rest.Interface // of apps/v1, without limit
	bare       rest.Interface // the same as Curfew's ServiceAccount
	program    string
	profiles   bool // the program serves them
	kubeconfig string
	files      string

	rearm  time.Duration // what it took to give every object a window
	settle time.Duration // what it took Curfew to write to every object
}

// bareAgent tells the bare client from Curfew, whose account it has.
const bareAgent = "bare-client"

func setStage(ctx context.Context, o *Options, objects int, result *Result) (_ *stage, err error) {
	s := &stage{Options: o, objects: objects, controllers: o.Controllers, result: result}
	defer func() {
		if err != nil {
			s.clear()
		}
	}()
	s.cluster, err = cluster.Start(ctx, cluster.Options{Output: o.Progress, NoControllers: !o.Controllers, AuditPolicy: auditPolicy})
	if err != nil {
		return nil, err
	}
	if s.program, err = build.Program(ctx, s.cluster.Module(), "curfew", o.Progress); err != nil {
		return nil, err
	}
	if s.profiles, err = offersProfiles(ctx, s.program); err != nil {
		return nil, err
	}
	if o.Profiles != "" && !s.profiles {
		s.say("no profiles: Curfew has no flag %s", profiling)
	}
	if err = harness.Install(ctx, s.cluster, "deploy", ""); err != nil {
		return nil, err
	}
	if s.files, err = os.MkdirTemp("", "curfew-bench-"); err != nil {
		return nil, err
	}
	s.kubeconfig = filepath.Join(s.files, "kubeconfig")
	if err = harness.WriteKubeconfig(ctx, s.cluster, harness.Namespace, s.kubeconfig); err != nil {
		return nil, err
	}
	return s, s.connect(ctx)
}

// connect makes the clients. They speak as Curfew does, protobuf.
func (s *stage) connect(ctx context.Context) error {
	config := rest.CopyConfig(s.cluster.Config)
	config.ContentType, config.AcceptContentTypes = runtime.ContentTypeProtobuf, runtime.ContentTypeProtobuf+","+runtime.ContentTypeJSON
	admin, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	s.cluster.Client, s.admin = admin, admin.AppsV1().RESTClient()

	bare := rest.AnonymousClientConfig(config)
	bare.UserAgent, bare.QPS = bareAgent, -1
	if bare.BearerToken, err = harness.Token(ctx, s.cluster, harness.Namespace); err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(bare)
	if err != nil {
		return err
	}
	s.bare = client.AppsV1().RESTClient()
	return nil
}

func (s *stage) clear() {
	if s.cluster != nil {
		s.cluster.Stop()
	}
	if s.files != "" {
		_ = os.RemoveAll(s.files)
	}
}

func (s *stage) say(format string, arguments ...any) {
	fmt.Fprintf(s.Progress, "%s  %d objects: %s\n", time.Now().Format(time.TimeOnly), s.objects, fmt.Sprintf(format, arguments...))
}

func (s *stage) figure(name string, value float64, unit, note string) *Figure {
	return s.result.figure(s.objects, name, value, unit, note)
}

// startCurfew starts a Curfew, which need not be ready yet.
func (s *stage) startCurfew() (*harness.Curfew, error) {
	var flags []string
	if s.profiles {
		flags = append(flags, profiling)
	}
	return harness.Run(s.program, s.kubeconfig, harness.Namespace, append(flags, s.CurfewFlags...)...)
}

// startLeader starts a Curfew and returns when it leads.
func (s *stage) startLeader(ctx context.Context) (*harness.Curfew, error) {
	ctx, cancel := s.patience(ctx)
	defer cancel()
	curfew, err := s.startCurfew()
	if err != nil {
		return nil, err
	}
	if err := errors.Join(curfew.AwaitReady(ctx), curfew.AwaitLeader(ctx)); err != nil {
		curfew.Kill()
		return nil, err
	}
	return curfew, nil
}

// end ends a Curfew in good order, so that the next one need not wait for the lease.
func (s *stage) end(ctx context.Context, curfew *harness.Curfew) error {
	ctx, cancel := s.patience(ctx)
	defer cancel()
	code, err := curfew.Terminate(ctx)
	if err == nil && code != 0 {
		err = fmt.Errorf("curfew ended with exit code %d:\n%s", code, tail(curfew.Log))
	}
	return err
}

// patience is how long anything may take that Curfew does to every object: its
// limit for requests allows 50 a second.
func (s *stage) patience(ctx context.Context) (context.Context, context.CancelFunc) {
	long := 3*time.Minute + time.Duration(s.objects)*time.Second/20
	return context.WithTimeoutCause(ctx, long, fmt.Errorf("nothing more after %v", long))
}

// tail is the end of a log.
func tail(log *harness.Log) string {
	text := log.String()
	return text[max(0, len(text)-4000):]
}

// sleep lets time pass.
func sleep(ctx context.Context, long time.Duration) error {
	select {
	case <-time.After(long):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
