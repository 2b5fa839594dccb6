package soak

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	appsclient "k8s.io/client-go/kubernetes/typed/apps/v1"
	"k8s.io/client-go/tools/cache"

	"curfew/e2e/build"
	"curfew/e2e/cluster"
	"curfew/e2e/harness"
)

const (
	namespace = "soak"

	// full is how long a process must run until its memory is as full as it gets.
	full = 13 * time.Minute

	// patience is how long a Deployment may be wrong when nothing is broken, on a machine that has other things to do.
	patience = 15 * time.Second
)

// soak is one run.
type soak struct {
	testing.TB
	form
	ctx     context.Context
	cluster *cluster.Cluster
	proxy   *harness.Proxy
	curfews replicas
	random  *rand.Rand
	all     map[string]*object
	names   []string

	broken atomic.Bool  // a fault is on
	since  atomic.Int64 // when the last one was over, in Unix milliseconds
	lost   []time.Time  // when the API server was killed, and took with it what it had not written into the audit log yet
}

// TestSoak is the soak.
func TestSoak(t *testing.T) {
	f, err := chooseForm()
	if err != nil {
		t.Fatal(err)
	}
	s := newSoak(t, f)
	begin, end := s.create()
	judged := s.judge(begin)
	s.trouble(begin, begin.Add(f.lasts*2/5), s.everything())
	// From here on nobody is killed, so that one process lives long enough for a leak to be seen.
	check := s.watchFigures()
	s.trouble(time.Now(), end, s.harmless())
	check()
	s.sleepUntil(end.Add(patience))
	judged()
	s.finally()
}

func newSoak(t testing.TB, f form) *soak {
	t.Helper()
	s := &soak{TB: t, form: f, all: map[string]*object{}}
	seed := uint64(time.Now().UnixNano())
	t.Logf("%v, %d Deployments, seed %d", f.lasts, f.objects, seed)
	s.random = rand.New(rand.NewPCG(seed, 1))
	ctx, cancel := context.WithCancel(t.Context())
	s.ctx = ctx
	var err error
	s.cluster, err = cluster.Start(ctx, cluster.Options{Output: os.Stderr, NoControllers: true})
	s.must(err)
	t.Cleanup(s.cluster.Stop)
	program, err := build.Program(ctx, s.cluster.Module(), "curfew", os.Stderr, "-race")
	s.must(err)
	s.must(harness.Install(ctx, s.cluster, "deploy", ""))
	s.proxy, err = harness.NewProxy(s.cluster, func(*http.Request) {})
	s.must(err)
	t.Cleanup(s.proxy.Close)
	kubeconfig := t.TempDir() + "/kubeconfig"
	s.must(s.proxy.WriteKubeconfig(ctx, s.cluster, harness.Namespace, kubeconfig))
	var group sync.WaitGroup
	t.Cleanup(group.Wait)
	t.Cleanup(cancel)
	for range 2 {
		r := &replica{}
		s.curfews = append(s.curfews, r)
		group.Go(func() {
			err := r.run(ctx, func() (*harness.Curfew, error) {
				return harness.Run(program, kubeconfig, harness.Namespace, "--profiling",
					"--leader-elect-lease-duration=6s", "--leader-elect-renew-deadline=4s", "--leader-elect-retry-period=1s")
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	leads, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	_, err = s.curfews.awaitLeader(leads)
	s.must(err)
	return s
}

func (s *soak) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// create makes the Deployments, and says when the first boundary is and the last.
func (s *soak) create() (begin, end time.Time) {
	s.Helper()
	_, err := s.cluster.Client.CoreV1().Namespaces().Create(s.ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	s.must(err)
	began := time.Now()
	begin = harness.WindowIn(10*time.Second+time.Duration(s.objects)*20*time.Millisecond, 0).Start
	end = begin.Add(s.lasts)
	made := make(chan error, s.objects)
	room := make(chan struct{}, 16)
	for i := range s.objects {
		o, says := newObject(s.random, i, begin, end)
		s.all[o.name], s.names = o, append(s.names, o.name)
		go func() {
			room <- struct{}{}
			d, err := s.deployments().Create(s.ctx, harness.NewDeployment(o.name, o.normal, says), metav1.CreateOptions{})
			<-room
			o.created = d
			made <- err
		}()
	}
	for range s.objects {
		s.must(<-made)
	}
	if time.Now().After(begin) {
		s.Fatalf("%d Deployments were created in %v: too slow", s.objects, time.Since(began))
	}
	s.Logf("%d Deployments after %v", s.objects, time.Since(began).Round(time.Millisecond))
	return begin, end
}

// judge watches the sizes, and complains of what is wrong for too long. What it returns ends that, and says how many were.
func (s *soak) judge(from time.Time) (done func()) {
	factory := informers.NewSharedInformerFactoryWithOptions(s.cluster.Client, 0, informers.WithNamespace(namespace))
	saw := func(obj any) {
		d := obj.(*appsv1.Deployment)
		if o := s.all[d.Name]; o != nil {
			o.mu.Lock()
			o.size, o.known = harness.Size(d), true
			o.mu.Unlock()
		}
	}
	informer := factory.Apps().V1().Deployments().Informer()
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: saw, UpdateFunc: func(_, is any) { saw(is) }})
	s.must(err)
	ctx, cancel := context.WithCancel(s.ctx)
	factory.StartWithContext(ctx)
	var group sync.WaitGroup
	group.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(500 * time.Millisecond):
			}
			s.look(from)
		}
	})
	return func() { cancel(); group.Wait() }
}

func (s *soak) look(from time.Time) {
	for _, o := range s.all {
		o.mu.Lock()
		now := time.Now()
		if s.broken.Load() || now.Before(from) {
			o.mu.Unlock()
			return
		}
		if want := o.wanted(now); o.known && o.size != want {
			since := o.since(now)
			if well := time.UnixMilli(s.since.Load()); well.After(since) {
				since = well
			}
			if late := now.Sub(since); late > patience {
				o.complaint = fmt.Sprintf("at %s %s has size %d, want %d since %s, %v ago", now.Format(time.TimeOnly), o.name, o.size, want, since.Format(time.TimeOnly), late.Round(time.Second))
			}
		}
		o.mu.Unlock()
	}
}

// fault is something that happens to the cluster or to Deployments.
type fault struct {
	name string
	do   func() error
}

// harmless are the faults that every process outlives.
func (s *soak) harmless() []fault {
	return []fault{
		{"kubectl scale", s.scale},
		{"apply", s.apply},
		{"override", s.override},
		{"cut", func() error { s.proxy.Disconnect(); return nil }},
		{"kubectl scale", s.scale},
		{"override", s.override},
	}
}

func (s *soak) everything() []fault {
	return append(s.harmless(),
		fault{"SIGKILL", func() error { return s.end(syscall.SIGKILL) }},
		fault{"SIGTERM", func() error { return s.end(syscall.SIGTERM) }},
		fault{"API server restart", s.restart},
	)
}

// trouble has faults happen in random order, each as often as the others, from one time to another.
func (s *soak) trouble(from, to time.Time, faults []fault) {
	s.Helper()
	s.sleepUntil(from)
	counts := map[string]int{}
	for {
		s.random.Shuffle(len(faults), func(i, j int) { faults[i], faults[j] = faults[j], faults[i] })
		for _, f := range faults {
			next := time.Now().Add(s.apart/2 + time.Duration(s.random.Int64N(int64(s.apart))))
			if next.After(to) {
				s.sleepUntil(to)
				s.Logf("faults: %v", counts)
				return
			}
			s.sleepUntil(next)
			if err := f.do(); err != nil {
				s.Fatalf("%s: %v", f.name, err)
			}
			counts[f.name]++
		}
	}
}

// broke is what no Deployment is blamed for while it goes on.
func (s *soak) broke(do func(context.Context) error) error {
	s.broken.Store(true)
	defer func() {
		s.since.Store(time.Now().UnixMilli())
		s.broken.Store(false)
	}()
	ctx, cancel := context.WithTimeoutCause(s.ctx, time.Minute, fmt.Errorf("not within a minute"))
	defer cancel()
	if err := do(ctx); err != nil {
		return err
	}
	_, err := s.curfews.awaitLeader(ctx)
	return err
}

// end ends the leader, and waits until there is another.
func (s *soak) end(signal syscall.Signal) error {
	return s.broke(func(ctx context.Context) error {
		leader, err := s.curfews.awaitLeader(ctx)
		if err != nil {
			return err
		}
		if err := leader.Signal(signal); err != nil {
			return err
		}
		code, err := leader.Wait(ctx)
		if err == nil && signal == syscall.SIGTERM && code != 0 {
			s.Errorf("asked to end, it does with exit code %d", code)
		}
		return err
	})
}

func (s *soak) restart() error {
	return s.broke(func(context.Context) error {
		s.lost = append(s.lost, time.Now())
		if err := s.cluster.StopAPIServer(); err != nil {
			return err
		}
		return s.cluster.StartAPIServer(s.ctx)
	})
}

// some has something done to Deployments that are as they should be, and passes on what happens to each.
func (s *soak) some(pass func(*object, time.Time) bool, do func(*object) error) error {
	left := s.form.some
	for _, i := range s.random.Perm(len(s.names)) {
		if left == 0 {
			return nil
		}
		o, now := s.all[s.names[i]], time.Now()
		o.mu.Lock()
		if !o.calm(now) || !pass(o, now) {
			o.mu.Unlock()
			continue
		}
		err := do(o)
		o.touched = append(o.touched, now, time.Now())
		o.mu.Unlock()
		if err != nil {
			return err
		}
		left--
	}
	return nil
}

// scale is kubectl scale, where that is drift: in a window, or where normal is given.
func (s *soak) scale() error {
	return s.some(func(o *object, now time.Time) bool { return o.given || o.window(now) != nil }, func(o *object) error {
		scale := &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{Name: o.name, Namespace: namespace}}
		scale.Spec.Replicas = 7
		_, err := s.deployments().UpdateScale(s.ctx, o.name, scale, metav1.UpdateOptions{FieldManager: "kubectl"})
		return err
	})
}

// apply is the owner's new word on what is normal, in a window or not.
func (s *soak) apply() error {
	return s.some(func(o *object, now time.Time) bool { return !o.given && !o.override.holds(now) }, func(o *object) error {
		size := 2 + (o.normal+1)%4
		patch := fmt.Sprintf(`{"spec":{"replicas":%d}}`, size)
		_, err := s.deployments().Patch(s.ctx, o.name, types.MergePatchType, []byte(patch), metav1.PatchOptions{FieldManager: "kubectl-edit"})
		if err == nil {
			o.normal = size
		}
		return err
	})
}

// override is an override for a few seconds.
func (s *soak) override() error {
	return s.some(func(o *object, now time.Time) bool { return !now.Before(o.override.End) }, func(o *object) error {
		w := window{harness.WindowIn(0, time.Duration(3+s.random.IntN(8))*time.Second), int32(s.random.IntN(3))}
		w.Start = time.Now()
		patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:"%d until %s"}}}`, harness.Override, w.size, w.End.Format(time.RFC3339))
		_, err := s.deployments().Patch(s.ctx, o.name, types.MergePatchType, []byte(patch), metav1.PatchOptions{FieldManager: "kubectl-edit"})
		if err == nil {
			o.override = w
		}
		return err
	})
}

// watchFigures measures the leader every few seconds. What it returns ends that, and complains of what grew.
func (s *soak) watchFigures() (done func()) {
	ctx, cancel := context.WithCancel(s.ctx)
	var group sync.WaitGroup
	var all []figures
	begun := time.Now()
	leader := s.curfews.leader()
	group.Go(func() {
		for leader != nil {
			f, err := measure(ctx, leader)
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				s.Errorf("the leader does not answer: %v", err)
				return
			}
			all = append(all, f)
			select {
			case <-ctx.Done():
				return
			case <-time.After(max(s.lasts/60, time.Second)):
			}
		}
	})
	return func() {
		s.Helper()
		cancel()
		group.Wait()
		if s.curfews.leader() != leader || len(all) < 8 {
			s.Errorf("the leader is another one, or has not answered: %d figures", len(all))
			return
		}
		// The library that sends events remembers each for 6 to 12 minutes, so until then the memory grows.
		steady := time.Since(begun) > full*5/4
		if steady {
			all = all[int(float64(len(all))*full.Seconds()/time.Since(begun).Seconds()):]
		}
		quarter := len(all) / 4
		first, last := all[:quarter], all[len(all)-quarter:]
		s.Logf("first: %v; last: %v; %d figures", all[0], all[len(all)-1], len(all))
		for name, of := range map[string]struct {
			figure       func(figures) float64
			factor, more float64
		}{
			"goroutines":     {func(f figures) float64 { return f.goroutines }, 1, 5},
			"heap after GC":  {func(f figures) float64 { return f.heap }, 1.2, 2 << 20},
			"resident bytes": {func(f figures) float64 { return f.resident }, 1.3, 32 << 20},
		} {
			if !steady && name != "goroutines" {
				continue
			}
			var was, is []float64
			for i := range first {
				was, is = append(was, of.figure(first[i])), append(is, of.figure(last[i]))
			}
			// Its least at the end is more than its most at the beginning.
			if before, after := slices.Max(was), slices.Min(is); after > before*of.factor+of.more {
				s.Errorf("%s: %.0f at first, %.0f at last", name, before, after)
			}
		}
	}
}

// finally looks at what was written in all.
func (s *soak) finally() {
	s.Helper()
	requests, err := s.cluster.Audit(s.ctx, cluster.Writes, cluster.To("deployments"), cluster.In(namespace))
	s.must(err)
	s.complain(requests)
	requests = slices.DeleteFunc(requests, func(r cluster.Request) bool { return r.User != harness.User(harness.Namespace) })
	writes, err := harness.ReadWrites(requests)
	s.must(err)
	byName, unsure := map[string][]harness.Write{}, map[string][]time.Time{}
	refused := 0
	for _, w := range writes {
		if !w.Succeeded() { // its body may be cut off
			refused++
			if w.Code < 400 || w.Code >= 500 { // or only its answer, and it was carried out
				unsure[w.Name] = append(unsure[w.Name], w.Received)
			}
			continue
		}
		if len(w.Stray) > 0 {
			s.Errorf("%s: it touched %v", w.Name, w.Stray)
		}
		byName[w.Name] = append(byName[w.Name], w)
	}
	var late []time.Duration
	sizes := 0
	for name, o := range s.all {
		o.mu.Lock()
		var last harness.Write
		others := slices.Concat(o.touched, unsure[name], s.lost)
		for _, w := range harness.Resizes(byName[name]) {
			sizes++
			since := o.since(w.Received)
			late = append(late, w.Received.Sub(since))
			if last.Replicas != nil && *last.Replicas == *w.Replicas && !anyBetween(others, last.Received, w.Received) {
				s.Errorf("%s was written twice:\n%s\n%s", name, last, w)
			}
			last = w
		}
		o.mu.Unlock()
		d, err := s.deployments().Get(s.ctx, name, metav1.GetOptions{})
		s.must(err)
		if differs := harness.ForeignChanges(o.created, d); differs != "" {
			s.Errorf("%s: what is none of Curfew's business has changed:\n%s", name, differs)
		}
	}
	slices.Sort(late)
	if len(late) == 0 {
		s.Fatal("nothing was ever written")
	}
	s.Logf("%d sizes written, %d notes besides, %d refused; late: median %v, 99%% %v, most %v", sizes, len(writes)-refused-sizes, refused,
		late[len(late)/2].Round(time.Millisecond), late[len(late)*99/100].Round(time.Millisecond), late[len(late)-1].Round(time.Millisecond))
	for _, log := range s.curfews.logs() {
		for _, bad := range []string{"DATA RACE", "panic:", "fatal error:"} {
			if strings.Contains(log.String(), bad) {
				s.Errorf("%s\n%s", bad, log)
			}
		}
	}
}

// complain shows what happened to those that were wrong for too long.
func (s *soak) complain(requests []cluster.Request) {
	s.Helper()
	wrong := 0
	for name, o := range s.all {
		if o.complaint == "" {
			continue
		}
		if wrong++; wrong > 5 {
			continue
		}
		s.Errorf("%s; %s\n", o.complaint, o)
		for _, r := range requests {
			if r.Name == name {
				s.Logf("%s %s %s %s %d %s", r.Received.Format("15:04:05.000"), r.User, r.Verb, r.Subresource, r.Code, r.Body)
			}
		}
	}
	s.Logf("%d of %d Deployments were wrong for more than %v", wrong, len(s.all), patience)
}

// anyBetween tells whether a time lies between two others, give or take what the clocks of two processes are apart.
func anyBetween(times []time.Time, from, to time.Time) bool {
	return slices.ContainsFunc(times, func(t time.Time) bool {
		return t.After(from.Add(-time.Second)) && t.Before(to.Add(time.Second))
	})
}

func (s *soak) deployments() appsclient.DeploymentInterface {
	return s.cluster.Client.AppsV1().Deployments(namespace)
}

// sleepUntil lets time pass.
func (s *soak) sleepUntil(at time.Time) {
	s.Helper()
	select {
	case <-time.After(time.Until(at)):
	case <-s.ctx.Done():
		s.Fatal(context.Cause(s.ctx))
	}
}
