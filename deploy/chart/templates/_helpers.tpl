{{/*
Helm says in .Release.Service that it is Helm. The plain manifests in deploy/ are rendered from these templates with
another word there: they have no release, so no release's labels, and they bring their own namespace.
*/}}
{{- define "curfew.helm" -}}
{{- if eq .Release.Service "Helm" }}true{{ end }}
{{- end }}

{{- define "curfew.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* What the objects are called. Short enough for what is appended to it and for a pod's name. */}}
{{- define "curfew.fullname" -}}
{{- $name := include "curfew.name" . }}
{{- if .Values.fullnameOverride }}
{{- $name = .Values.fullnameOverride }}
{{- else if not (contains $name .Release.Name) }}
{{- $name = printf "%s-%s" .Release.Name $name }}
{{- else }}
{{- $name = .Release.Name }}
{{- end }}
{{- $name | trunc 45 | trimSuffix "-" }}
{{- end }}

{{- define "curfew.serviceAccountName" -}}
{{- .Values.serviceAccount.name | default (ternary (include "curfew.fullname" .) "default" .Values.serviceAccount.create) }}
{{- end }}

{{/* By these an object is found; they never change while a release lives. */}}
{{- define "curfew.selectorLabels" -}}
app.kubernetes.io/name: {{ include "curfew.name" . }}
{{- if include "curfew.helm" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- end }}

{{/* The same for the pods that act, and not that of the release on uninstall. */}}
{{- define "curfew.controllerLabels" -}}
{{ include "curfew.selectorLabels" . }}
{{- if include "curfew.helm" . }}
app.kubernetes.io/component: controller
{{- end }}
{{- end }}

{{- define "curfew.labels" -}}
{{ include "curfew.selectorLabels" . }}
{{- if include "curfew.helm" . }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | trunc 63 | trimAll "-_." | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- with .Values.extraLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "curfew.image" -}}
{{- .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- with .Values.image.digest }}@{{ . }}{{ end }}
{{- end }}

{{/* The lease has the name of the objects, so that two releases in one namespace do not wait for each other. */}}
{{- define "curfew.lease" -}}
{{- include "curfew.fullname" . }}
{{- end }}

{{/*
What both the Deployment and the release on uninstall are told: which workloads, and how to reach the API server.
Only what differs from curfew's own default is said, but for the zone.
*/}}
{{- define "curfew.args" -}}
{{- with .Values.watchNamespace }}
- --namespace={{ . }}
{{- end }}
{{- if ne (join "," .Values.kinds) "deployments.apps" }}
- --kinds={{ join "," .Values.kinds }}
{{- end }}
# The zone of rules that name none and whose Deployment names none.
- --timezone={{ .Values.timezone }}
{{- with .Values.excludeNamespaces }}
- --exclude-namespaces={{ join "," . }}
{{- end }}
{{- if ne .Values.gracePeriod "0s" }}
- --grace-period={{ .Values.gracePeriod }}
{{- end }}
{{- with .Values.waking.concurrency }}
- --wake-concurrency={{ . }}
{{- end }}
{{- with .Values.waking.perMinute }}
- --wake-rate={{ . }}
{{- end }}
{{- if ne .Values.waking.timeout "5m" }}
- --wave-timeout={{ .Values.waking.timeout }}
{{- end }}
{{- with .Values.selector }}
- {{ printf "--selector=%s" . | quote }}
{{- end }}
{{- if ne .Values.logging.format "text" }}
- --logging-format={{ .Values.logging.format }}
{{- end }}
{{- with .Values.logging.level }}
- -v={{ . }}
{{- end }}
{{- if ne (float64 .Values.kubeAPI.qps) 0.0 }}
- --kube-api-qps={{ .Values.kubeAPI.qps }}
{{- end }}
{{- if ne (int .Values.kubeAPI.burst) 100 }}
- --kube-api-burst={{ .Values.kubeAPI.burst }}
{{- end }}
{{- if not .Values.leaderElection.enabled }}
- --leader-elect=false
{{- else if ne (include "curfew.lease" .) "curfew" }}
- --leader-elect-resource-name={{ include "curfew.lease" . }}
{{- end }}
{{- range .Values.extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end }}

{{/* Nine tenths of the memory limit, where that is said in whole Mi or Gi. */}}
{{- define "curfew.goMemoryLimit" -}}
{{- $limit := toString (dig "limits" "memory" "" .Values.resources) }}
{{- if regexMatch "^[0-9]+Mi$" $limit }}
{{- printf "%dMiB" (div (mul (trimSuffix "Mi" $limit | int64) 9) 10) }}
{{- else if regexMatch "^[0-9]+Gi$" $limit }}
{{- printf "%dMiB" (div (mul (trimSuffix "Gi" $limit | int64) 9216) 10) }}
{{- end }}
{{- end }}

{{/* The environment that curfew reads. */}}
{{- define "curfew.env" -}}
# Where the lease lives, and which Deployment is Curfew's own and
# therefore never scaled.
- name: POD_NAMESPACE
  valueFrom:
    fieldRef:
      fieldPath: metadata.namespace
- name: POD_NAME
  valueFrom:
    fieldRef:
      fieldPath: metadata.name
{{- with include "curfew.goMemoryLimit" . }}
# Collect garbage harder when close to the memory limit below.
- name: GOMEMLIMIT
  value: {{ . }}
{{- end }}
{{- end }}

{{/* The Secret with the certificate for metrics, where one is used. */}}
{{- define "curfew.metricsTLS" -}}
{{- if and .Values.metrics.enabled .Values.metrics.secure }}{{ .Values.metrics.tlsSecret }}{{ end }}
{{- end }}

{{- define "curfew.admission" -}}
{{- $enabled := .Values.admissionPolicy.enabled }}
{{- if kindIs "invalid" $enabled }}{{ $enabled = not .Values.watchNamespace }}{{ end }}
{{- if $enabled }}true{{ end }}
{{- end }}

{{/* What people might try to scale, and why that is of no use. */}}
{{- define "curfew.unscalable" -}}
pods: a pod has no size; name what makes it
daemonsets.apps: a DaemonSet has no size; docs/kinds.md says what to do instead
jobs.batch: a Job runs once; name the CronJob that makes it, cronjobs.batch
poddisruptionbudgets.policy: a PodDisruptionBudget has no size, and does not keep Curfew from anything; see docs/kinds.md
{{- end }}

{{/* A kind that Curfew would refuse at its start. */}}
{{- define "curfew.checkKind" -}}
{{- $resource := splitList "." .kind | first }}
{{- with get (include "curfew.unscalable" . | fromYaml) .kind }}
{{- fail (printf "kinds: %s." .) }}
{{- end }}
{{- range include "curfew.knownKinds" . | fromYamlArray }}
{{- $plural := splitList "." . | first }}
{{- if and (ne $.kind .) (has $.kind (list $plural (trimSuffix "s" $plural) (printf "%s%s" (trimSuffix "s" $plural) (trimPrefix $plural .)))) }}
{{- fail (printf "kinds: there is no resource %s; did you mean %s?" $.kind .) }}
{{- end }}
{{- end }}
{{- if and (eq $resource .kind) (ne .kind "replicationcontrollers") }}
{{- fail (printf "kinds: %s is without its group; write both, such as statefulsets.apps. kubectl api-resources has them." .kind) }}
{{- end }}
{{- end }}

{{/* What no schema can say: values that are right by themselves and wrong together, and a word on what to do. */}}
{{- define "curfew.check" -}}
{{- range .Values.kinds }}
{{- include "curfew.checkKind" (dict "kind" .) }}
{{- end }}
{{- if not .Values.leaderElection.enabled }}
{{- if gt (int .Values.replicas) 1 }}
{{- fail "leaderElection.enabled is false and replicas is above 1: without a lease all of them would act. Set replicas: 1, or leave leader election on." }}
{{- end }}
{{- if .Values.releaseOnUninstall }}
{{- fail "leaderElection.enabled is false and releaseOnUninstall is true: the release stops the Curfew that runs by taking its lease, and there would be none. Set releaseOnUninstall: false, or leave leader election on." }}
{{- end }}
{{- end }}
{{- if and .Values.metrics.tlsSecret (not .Values.metrics.secure) }}
{{- fail "metrics.tlsSecret is given and metrics.secure is false: there would be no use for it. Set metrics.secure: true." }}
{{- end }}
{{- if and .Values.metrics.serviceMonitor.enabled (not .Values.metrics.enabled) }}
{{- fail "metrics.serviceMonitor.enabled is true and metrics.enabled is false: there would be nothing to monitor. Set metrics.enabled: true." }}
{{- end }}
{{- range $value, $on := dict "metrics.serviceMonitor.enabled" .Values.metrics.serviceMonitor.enabled "prometheusRule.enabled" .Values.prometheusRule.enabled }}
{{- if and $on (not ($.Capabilities.APIVersions.Has "monitoring.coreos.com/v1")) }}
{{- fail (printf "%s is true, and the cluster does not know monitoring.coreos.com/v1: install the Prometheus operator first, or set %s: false. (helm template takes --api-versions monitoring.coreos.com/v1.)" $value $value) }}
{{- end }}
{{- end }}
{{- end }}

{{/* One of the workloads that are looked after, as people call it. */}}
{{- define "curfew.workload" -}}
{{- ternary "Deployment" "workload" (eq (join "," .Values.kinds) "deployments.apps") }}
{{- end }}

{{/* The kinds that Curfew knows by itself. */}}
{{- define "curfew.knownKinds" -}}
[deployments.apps, statefulsets.apps, cronjobs.batch, horizontalpodautoscalers.autoscaling, scaledobjects.keda.sh]
{{- end }}

{{/* The group of a resource that is written with it. */}}
{{- define "curfew.group" -}}
{{- trimPrefix "." (regexFind "[.].*" .) }}
{{- end }}

{{/* What Curfew may do with what it looks after. */}}
{{- define "curfew.rules" -}}
{{- $definitions := list }}
{{- range .Values.kinds }}
{{- $group := include "curfew.group" . }}
- apiGroups: [{{ $group | default "\"\"" }}]
  resources: [{{ splitList "." . | first }}]
  verbs: [list, watch, patch]
{{- if and (contains "." $group) (not (has . (include "curfew.knownKinds" $ | fromYamlArray))) }}
{{- $definitions = append $definitions . }}
{{- end }}
{{- end }}
{{- if not .Values.watchNamespace }}
- apiGroups: [""]
  resources: [namespaces]
  verbs: [list, watch]
{{- end }}
{{- if not (has "horizontalpodautoscalers.autoscaling" .Values.kinds) }}
- apiGroups: [autoscaling]
  resources: [horizontalpodautoscalers]
  verbs: [list, watch]
{{- end }}
{{- if and $definitions (not .Values.watchNamespace) }}
# Where these have their size; without it that is taken to be spec.replicas.
- apiGroups: [apiextensions.k8s.io]
  resources: [customresourcedefinitions]
  resourceNames: [{{ join ", " $definitions }}]
  verbs: [get]
{{- end }}
# patch: an event that happens again is counted on the first one.
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create, patch]
{{- end }}
