package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/tools/cache"
	cliflag "k8s.io/component-base/cli/flag"
	componentbaseconfig "k8s.io/component-base/config"
	componentbaseoptions "k8s.io/component-base/config/options"
	logsapi "k8s.io/component-base/logs/api/v1"

	"curfew/cmd/internal/kinds"
	"curfew/scaler"
	"curfew/scaler/kind"
	"curfew/scaler/observe"
	"curfew/scaler/wave"
	"curfew/timewindow"
)

// options are what the flags say, and what complete makes of them and the environment.
type options struct {
	kubeconfig string
	qps        float32
	burst      int

	timezone  string
	namespace string
	kinds     []string
	selector  string
	workers   int
	dryRun    bool
	exclude   []string
	grace     time.Duration
	release   bool
	waking    wave.Limits

	health  string
	metrics string

	metricsSecure      bool
	metricsCert        string
	metricsKey         string
	metricsPerWorkload bool
	profiling          bool

	leaderElection componentbaseconfig.LeaderElectionConfiguration
	logging        *logsapi.LoggingConfiguration

	zone      *time.Location         // of timezone
	resources []schema.GroupResource // of kinds
	self      cache.ObjectName       // the Deployment that this process runs in; empty if it is not known
	protected sets.Set[string]       // the namespaces whose workloads inherit nothing
}

func newOptions() *options {
	return &options{
		burst:    100,
		timezone: "UTC",
		kinds:    []string{kind.Deployment.String()},
		workers:  16,
		waking:   wave.Limits{Timeout: scaler.DefaultWaveTimeout},
		health:   ":8081",
		metrics:  "127.0.0.1:8080",

		metricsSecure:      true,
		metricsPerWorkload: true,

		leaderElection: componentbaseconfig.LeaderElectionConfiguration{
			LeaderElect:   true,
			LeaseDuration: metav1.Duration{Duration: 15 * time.Second},
			RenewDeadline: metav1.Duration{Duration: 10 * time.Second},
			RetryPeriod:   metav1.Duration{Duration: 2 * time.Second},
			ResourceLock:  "leases",
			ResourceName:  "curfew",
		},
		logging: logsapi.NewLoggingConfiguration(),
	}
}

// flags describes the command line, in the sections that --help shows.
func (o *options) flags() cliflag.NamedFlagSets {
	var sets cliflag.NamedFlagSets

	fs := sets.FlagSet("scaling")
	fs.StringVar(&o.timezone, "timezone", o.timezone, "IANA zone in which rules are read that name none, on objects that name none, such as Europe/Berlin.")
	fs.StringVar(&o.namespace, "namespace", o.namespace, "Look after this namespace only, for which a Role is enough. Empty: all namespaces.")
	fs.StringSliceVar(&o.kinds, "kinds", o.kinds, "What to look after: resources with their groups, separated by commas, such as deployments.apps,statefulsets.apps,rollouts.argoproj.io. Those that Curfew does not know must have a scale subresource; docs/kinds.md lists what it knows.")
	fs.StringVar(&o.selector, "selector", o.selector, "Look after the workloads with these labels only, written as for kubectl, such as team=shop,tier!=db.")
	fs.BoolVar(&o.dryRun, "dry-run", o.dryRun, "Decide and log what would be done, and write nothing at all: no sizes, no events, no lease.")
	fs.IntVar(&o.workers, "workers", o.workers, "How many workloads are worked on at the same time.")

	fs.StringSliceVar(&o.exclude, "exclude-namespaces", o.exclude, "Namespaces, separated by commas, whose workloads inherit nothing from them, besides kube-system, kube-public, kube-node-lease and Curfew's own.")
	fs.DurationVar(&o.grace, "grace-period", o.grace, "How long a new workload is left as it is, where it does not say so itself in curfew/grace.")
	fs.BoolVar(&o.release, "release", o.release, "Give every workload its normal size back, remove what Curfew wrote from it, and exit. It stops a Curfew that is leading first. Exits 1 with a list if any could not be released.")

	fs = sets.FlagSet("waking")
	fs.IntVar(&o.waking.Concurrency, "wake-concurrency", o.waking.Concurrency, "How many workloads that the clock has woken may be on their way to available at once. 0: any number.")
	fs.IntVar(&o.waking.PerMinute, "wake-rate", o.waking.PerMinute, "How many workloads the clock wakes in a minute at the most, evenly. 0: any number.")
	fs.DurationVar(&o.waking.Timeout, "wave-timeout", o.waking.Timeout, "How long one that was woken is waited for, by the next wave of curfew/wave and by who waits for its place.")

	fs = sets.FlagSet("API server")
	fs.StringVar(&o.kubeconfig, "kubeconfig", o.kubeconfig, "File that says how to reach the API server. Empty: as the pod's service account.")
	fs.Float32Var(&o.qps, "kube-api-qps", o.qps, "Requests a second to the API server, on the average. 0: as many as the workers make; the API server has its own limits (API Priority and Fairness).")
	fs.IntVar(&o.burst, "kube-api-burst", o.burst, "Requests to the API server that may go out at once where --kube-api-qps limits them.")

	componentbaseoptions.BindLeaderElectionFlags(&o.leaderElection, sets.FlagSet("leader election"))

	fs = sets.FlagSet("serving")
	fs.StringVar(&o.health, "health-probe-bind-address", o.health, "Address that serves /healthz and /readyz. 0: none.")
	fs.StringVar(&o.metrics, "metrics-bind-address", o.metrics, "Address that serves /metrics: on loopback over HTTP to everybody, elsewhere over HTTPS to those who may get /metrics in the cluster. 0: none.")
	fs.BoolVar(&o.metricsSecure, "metrics-secure", o.metricsSecure, "Serve metrics on other addresses than loopback to those who may only. false: over HTTP to everybody who can reach it.")
	fs.StringVar(&o.metricsCert, "metrics-tls-cert-file", o.metricsCert, "File with the certificate for /metrics, and any between it and the authority's. With it, loopback is no exception. Empty: one that is made at the start and signed by itself.")
	fs.StringVar(&o.metricsKey, "metrics-tls-key-file", o.metricsKey, "File with the private key of that certificate.")
	fs.BoolVar(&o.metricsPerWorkload, "metrics-per-workload", o.metricsPerWorkload, "Also serve the metrics that have a series for each workload.")
	fs.BoolVar(&o.profiling, "profiling", o.profiling, "Serve profiles under /debug/pprof/ at the address of the metrics, if that is on loopback.")

	logsapi.AddFlags(o.logging, sets.FlagSet("logs"))
	return sets
}

// complete checks the flags and derives what follows from them and the environment. The error names the flag.
func (o *options) complete() error {
	var errs []error
	refuse := func(flag string, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("--%s: %w", flag, err))
		}
	}
	var err error
	o.zone, err = timewindow.LoadZone(o.timezone)
	refuse("timezone", err)
	_, err = labels.Parse(o.selector)
	refuse("selector", err)
	o.resources, err = kinds.Parse(o.kinds)
	refuse("kinds", err)
	if o.namespace != "" {
		if wrong := validation.IsDNS1123Label(o.namespace); len(wrong) > 0 {
			refuse("namespace", fmt.Errorf("%q is not the name of one namespace: %s", o.namespace, strings.Join(wrong, "; ")))
		}
	}
	if o.workers < 1 {
		refuse("workers", fmt.Errorf("%d is too few; the least is 1", o.workers))
	}
	if o.grace < 0 {
		refuse("grace-period", fmt.Errorf("%v is less than nothing", o.grace))
	}
	if o.waking.Concurrency < 0 {
		refuse("wake-concurrency", fmt.Errorf("%d is less than nothing; 0 is any number", o.waking.Concurrency))
	}
	if o.waking.PerMinute < 0 {
		refuse("wake-rate", fmt.Errorf("%d is less than nothing; 0 is any number", o.waking.PerMinute))
	}
	if o.waking.Timeout < time.Second {
		refuse("wave-timeout", fmt.Errorf("%v is too short; the least is 1s", o.waking.Timeout))
	}
	o.protected = observe.SystemNamespaces()
	for _, name := range o.exclude {
		if name = strings.TrimSpace(name); name != "" {
			o.protected.Insert(name)
		}
	}
	if o.qps < 0 {
		refuse("kube-api-qps", fmt.Errorf("%v is less than nothing; 0 is no limit", o.qps))
	}
	if o.burst < 1 {
		refuse("kube-api-burst", fmt.Errorf("%d is too few; the least is 1", o.burst))
	}
	switch {
	case (o.metricsCert == "") != (o.metricsKey == ""):
		refuse("metrics-tls-cert-file", errors.New("it goes together with --metrics-tls-key-file"))
	case o.metricsCert != "" && !o.metricsSecure:
		refuse("metrics-secure", errors.New("a certificate is of no use without it"))
	}
	l := &o.leaderElection
	if l.LeaderElect {
		if l.ResourceLock != "leases" {
			refuse("leader-elect-resource-lock", fmt.Errorf("%q is not supported; it must be leases", l.ResourceLock))
		}
		if l.LeaseDuration.Duration <= l.RenewDeadline.Duration {
			refuse("leader-elect-lease-duration", fmt.Errorf("%v must be more than the renew deadline, %v", l.LeaseDuration.Duration, l.RenewDeadline.Duration))
		}
		// The election adds up to 20 percent to each wait between tries.
		if l.RetryPeriod.Duration <= 0 || l.RenewDeadline.Duration <= l.RetryPeriod.Duration*6/5 {
			refuse("leader-elect-renew-deadline", fmt.Errorf("%v must be more than 1.2 times the retry period, %v", l.RenewDeadline.Duration, l.RetryPeriod.Duration))
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	home := ownNamespace()
	if l.ResourceNamespace == "" {
		l.ResourceNamespace = home
	}
	o.protected.Insert(home)
	o.self = cache.ObjectName{Namespace: home, Name: ownDeployment(os.Getenv("POD_NAME"))}
	return nil
}

// serviceAccountNamespace is where a pod finds the name of its namespace.
const serviceAccountNamespace = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

// ownNamespace is where this process runs: as the manifest says, as the service account says, or else where the
// manifests in deploy/ would put it.
func ownNamespace() string {
	if name := os.Getenv("POD_NAMESPACE"); name != "" {
		return name
	}
	if name, err := os.ReadFile(serviceAccountNamespace); err == nil {
		return strings.TrimSpace(string(name))
	}
	return "curfew"
}

// ownDeployment is the name of the Deployment that a pod belongs to: the pod's own without the hash of its ReplicaSet
// and the part that tells its pods apart. It is "" for a pod that is not called like that.
func ownDeployment(pod string) string {
	parts := strings.Split(pod, "-")
	if len(parts) < 3 {
		return ""
	}
	return strings.Join(parts[:len(parts)-2], "-")
}
