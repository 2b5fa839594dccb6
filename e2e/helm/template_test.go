package helm

import (
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/common"
)

// operator is what a cluster with the Prometheus operator knows.
var operator = []string{"monitoring.coreos.com/v1"}

// sets are values that people install the chart with.
var sets = map[string]struct {
	values string
	apis   []string
}{
	"default": {},
	"namespaced": {values: `
watchNamespace: shop
`},
	"kinds": {values: `
kinds: [deployments.apps, statefulsets.apps, cronjobs.batch, horizontalpodautoscalers.autoscaling, scaledobjects.keda.sh, rollouts.argoproj.io, replicationcontrollers]
`},
	"kinds-namespaced": {values: `
watchNamespace: shop
kinds: [statefulsets.apps, rollouts.argoproj.io]
`},
	"one-replica": {values: `
replicas: 1
leaderElection: {enabled: false}
releaseOnUninstall: false
podDisruptionBudget: {enabled: false}
`},
	"others-account": {values: `
rbac: {create: false}
serviceAccount: {create: false, name: somebody}
admissionPolicy: {enabled: false}
`},
	"open-metrics": {apis: operator, values: `
metrics: {enabled: true, secure: false, perWorkload: false, serviceMonitor: {enabled: true}}
`},
	"everything": {apis: operator, values: `
image: {repository: registry.example.com/team/curfew, tag: v2, digest: "sha256:0000000000000000000000000000000000000000000000000000000000000000", pullPolicy: Always}
imagePullSecrets: [{name: pull}]
fullnameOverride: night
replicas: 3
timezone: Europe/Berlin
excludeNamespaces: [infra, monitoring]
gracePeriod: 30m
waking: {concurrency: 20, perMinute: 100, timeout: 10m}
selector: tier!=db,team in (a,b)
logging: {format: json, level: 2}
kubeAPI: {qps: 12.5, burst: 25}
extraArgs: [--workers=8]
releaseDeadlineSeconds: 120
serviceAccount: {annotations: {example.com/role: night}}
resources: {requests: {cpu: 50m}, limits: {cpu: 200m, memory: 1Gi}}
nodeSelector: {pool: system}
tolerations: [{key: system, operator: Exists}]
affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: []}}
topologySpread: {topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule}
podDisruptionBudget: {maxUnavailable: 50%}
priorityClassName: system-cluster-critical
extraLabels: {team: platform}
podAnnotations: {example.com/mesh: "off"}
podLabels: {cost: shared}
networkPolicy:
  enabled: true
  metricsFrom: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: monitoring}}}]
  apiServerCIDRs: [10.0.0.1/32]
  apiServerPorts: [6443]
metrics:
  enabled: true
  port: 9443
  tlsSecret: night-tls
  service: {annotations: {example.com/probe: "yes"}}
  serviceMonitor: {enabled: true, interval: 30s, labels: {release: prometheus}}
prometheusRule: {enabled: true, labels: {release: prometheus}}
grafanaDashboard: {enabled: true, annotations: {grafana_folder: Platform}}
admissionPolicy: {enabled: true, action: Deny}
`},
}

// standIns are small files in place of those that the chart brings along, which have tests of their own.
var standIns = []*common.File{
	{Name: "files/admission/policy.yaml", Data: []byte("apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nspec: {variables: [{name: braces, expression: \"'{{ }}'\"}]}\n")},
	{Name: "files/monitoring/prometheusrule.yaml", Data: []byte("apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nspec: {groups: [{name: curfew, rules: [{alert: Braces, expr: vector(1), annotations: {summary: \"{{ $value }}\"}}]}]}\n")},
	{Name: "files/monitoring/dashboard.json", Data: []byte("{\"title\": \"{{braces}}\"}\n")},
}

// TestGolden: what the chart makes of them, and what it then says, is in testdata/, to be read when it changes. A release
// does not change it, nor does a new alert.
func TestGolden(t *testing.T) {
	for name, set := range sets {
		t.Run(name, func(t *testing.T) {
			c := load(t)
			c.Metadata.Version, c.Metadata.AppVersion, c.Files = "1.2.3", "v1.2.3", standIns
			r, err := template(c, parse(t, set.values), set.apis...)
			if err != nil {
				t.Fatal(err)
			}
			same(t, "testdata/"+name+".yaml", everything(r))
			same(t, "testdata/"+name+".txt", strings.TrimSpace(r.Info.Notes)+"\n")
		})
	}
}

// TestRefusals: what cannot work is refused before it reaches the cluster, with a word on what to do.
func TestRefusals(t *testing.T) {
	for name, test := range map[string]struct{ values, want string }{
		"a word mistyped":               {`replica: 3`, "additional properties 'replica' not allowed"},
		"a word mistyped further down":  {`image: {repo: x}`, "at '/image': additional properties 'repo' not allowed"},
		"no number":                     {`replicas: two`, "at '/replicas': got string, want integer"},
		"fewer than none":               {`replicas: -1`, "at '/replicas': minimum: got -1, want 0"},
		"several namespaces":            {`watchNamespace: a,b`, "at '/watchNamespace'"},
		"a zone's offset":               {`timezone: "+02:00"`, "at '/timezone'"},
		"no zone":                       {`timezone: ""`, "at '/timezone'"},
		"a duration without a unit":     {`gracePeriod: "30"`, "at '/gracePeriod'"},
		"another pull policy":           {`image: {pullPolicy: Sometimes}`, "at '/image/pullPolicy': value must be one of 'Always', 'IfNotPresent', 'Never'"},
		"a tag where it does not go":    {`image: {repository: "curfew:v1"}`, "at '/image/repository'"},
		"a digest that is none":         {`image: {digest: latest}`, "at '/image/digest'"},
		"another log format":            {`logging: {format: xml}`, "at '/logging/format': value must be one of 'text', 'json'"},
		"less than no requests":         {`kubeAPI: {qps: -1}`, "at '/kubeAPI/qps'"},
		"an argument that is no flag":   {`extraArgs: [workers=8]`, "at '/extraArgs/0'"},
		"a deadline beyond the lease":   {`releaseDeadlineSeconds: 600`, "at '/releaseDeadlineSeconds': maximum: got 600, want 290"},
		"the probes' port":              {`metrics: {enabled: true, port: 8081}`, "at '/metrics/port'"},
		"another action":                {`admissionPolicy: {action: Audit}`, "at '/admissionPolicy/action': value must be one of 'Warn', 'Deny'"},
		"a label that is no text":       {`podLabels: {a: 1}`, "at '/podLabels/a': got number, want string"},
		"a label of the chart's own":    {`podLabels: {app.kubernetes.io/name: mine}`, "at '/podLabels/app.kubernetes.io~1name': false schema"},
		"two without a lease":           {`leaderElection: {enabled: false}`, "Set replicas: 1, or leave leader election on."},
		"no lease to release by":        {`{replicas: 1, leaderElection: {enabled: false}}`, "Set releaseOnUninstall: false, or leave leader election on."},
		"a certificate for nothing":     {`metrics: {enabled: true, secure: false, tlsSecret: tls}`, "Set metrics.secure: true."},
		"nothing to monitor":            {`metrics: {serviceMonitor: {enabled: true}}`, "Set metrics.enabled: true."},
		"no operator for the monitor":   {`metrics: {enabled: true, serviceMonitor: {enabled: true}}`, "the cluster does not know monitoring.coreos.com/v1: install the Prometheus operator first"},
		"no operator for the alerts":    {`prometheusRule: {enabled: true}`, "or set prometheusRule.enabled: false"},
		"nothing to look after":         {`kinds: []`, "at '/kinds': minItems: got 0, want 1"},
		"kinds on one line":             {`kinds: "deployments.apps,statefulsets.apps"`, "at '/kinds': got string, want array"},
		"two kinds in one":              {`kinds: ["deployments.apps,statefulsets.apps"]`, "at '/kinds/0'"},
		"a kind twice":                  {`kinds: [deployments.apps, deployments.apps]`, "at '/kinds': items at 0 and 1 are equal"},
		"a kind and not its resource":   {`kinds: [StatefulSet]`, "at '/kinds/0'"},
		"a kind without its group":      {`kinds: [deployments.apps, statefulsets]`, "kinds: there is no resource statefulsets; did you mean statefulsets.apps?"},
		"one of a kind":                 {`kinds: [cronjob.batch]`, "kinds: there is no resource cronjob.batch; did you mean cronjobs.batch?"},
		"another without its group":     {`kinds: [rollouts]`, "kinds: rollouts is without its group; write both, such as statefulsets.apps."},
		"pods":                          {`kinds: [pods]`, "kinds: a pod has no size; name what makes it."},
		"DaemonSets":                    {`kinds: [daemonsets.apps]`, "kinds: a DaemonSet has no size; docs/kinds.md says what to do instead."},
		"Jobs":                          {`kinds: [jobs.batch]`, "kinds: a Job runs once; name the CronJob that makes it, cronjobs.batch."},
		"disruption budgets":            {`kinds: [poddisruptionbudgets.policy]`, "kinds: a PodDisruptionBudget has no size"},
		"a repository with a wrong tag": {`image: {tag: "a b"}`, "at '/image/tag'"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := template(load(t), parse(t, test.values))
			if err == nil {
				t.Fatal("accepted")
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("it says\n%v\nand not\n%s", err, test.want)
			}
		})
	}
}
