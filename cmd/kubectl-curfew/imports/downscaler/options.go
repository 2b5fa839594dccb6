package downscaler

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"curfew/cmd/kubectl-curfew/imports/translate"
	"curfew/scaler/kind"
	"curfew/timewindow"
)

// Options are what the old tool was told by flags and environment, which no manifest says.
type Options struct {
	Tool            Tool
	Uptime          string // DEFAULT_UPTIME
	Downtime        string // DEFAULT_DOWNTIME
	UpscalePeriod   string // UPSCALE_PERIOD
	DownscalePeriod string // DOWNSCALE_PERIOD
	Timezone        string // DEFAULT_TIMEZONE
	Weekdays        string // DEFAULT_WEEKFRAME
	Replicas        int    // --downtime-replicas

	Resources []string // --include-resources; none: not known

	Now time.Time // what has run out by now is left out
}

// AddFlags adds the flags that set the options.
func (o *Options) AddFlags(flags *pflag.FlagSet) {
	if o.Tool == "" {
		o.Tool = Auto
	}
	flags.StringVar((*string)(&o.Tool), "tool", string(o.Tool), "Whose downscaler/ annotations they are: python (kube-downscaler), go (GoKubeDownscaler) or auto, which asks where the two differ and no annotation tells.")
	flags.StringVar(&o.Uptime, "default-uptime", o.Uptime, "What kube-downscaler, of either kind, was given as DEFAULT_UPTIME or --default-uptime.")
	flags.StringVar(&o.Downtime, "default-downtime", o.Downtime, "What kube-downscaler, of either kind, was given as DEFAULT_DOWNTIME or --default-downtime.")
	flags.StringVar(&o.UpscalePeriod, "upscale-period", o.UpscalePeriod, "What kube-downscaler, of either kind, was given as UPSCALE_PERIOD or --upscale-period.")
	flags.StringVar(&o.DownscalePeriod, "downscale-period", o.DownscalePeriod, "What kube-downscaler, of either kind, was given as DOWNSCALE_PERIOD or --downscale-period.")
	flags.StringVar(&o.Timezone, "default-timezone", o.Timezone, "What GoKubeDownscaler was given as DEFAULT_TIMEZONE: the zone of spans that name none.")
	flags.StringVar(&o.Weekdays, "default-weekframe", o.Weekdays, "What GoKubeDownscaler was given as DEFAULT_WEEKFRAME: the days of spans that name none, such as Mon-Fri.")
	flags.StringSliceVar(&o.Resources, "include-resources", o.Resources, "What kube-downscaler, of either kind, was given as --include-resources, such as deployments,statefulsets. (default deployments, and what has annotations of its own)")
	flags.IntVar(&o.Replicas, "downtime-replicas", o.Replicas, "What kube-downscaler, of either kind, was given as --downtime-replicas.")
}

// Validate is an error if a flag makes no sense.
func (o *Options) Validate() error {
	var errs []error
	refuse := func(flag string, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("--%s: %w", flag, err))
		}
	}
	switch o.Tool {
	case Auto, Python, Go:
	default:
		refuse("tool", fmt.Errorf("%q is not a tool; it is python, go or auto", string(o.Tool)))
	}
	if o.Timezone != "" {
		_, err := timewindow.LoadZone(o.Timezone)
		refuse("default-timezone", err)
	}
	if o.Weekdays != "" {
		if _, ok := parseDays(o.Weekdays); !ok {
			refuse("default-weekframe", fmt.Errorf("%q are no days; write such as Mon-Fri", o.Weekdays))
		}
	}
	if o.Replicas < 0 || o.Replicas > timewindow.MaxReplicas {
		refuse("downtime-replicas", fmt.Errorf("%d is out of range; it is 0 to %d", o.Replicas, timewindow.MaxReplicas))
	}
	for _, f := range []struct{ flag, text string }{
		{"default-uptime", o.Uptime}, {"default-downtime", o.Downtime}, {"upscale-period", o.UpscalePeriod}, {"downscale-period", o.DownscalePeriod},
	} {
		if f.text == "" {
			continue
		}
		_, python := parseSpans(Python, f.text, *o)
		_, golang := parseSpans(Go, f.text, *o)
		switch {
		case o.Tool == Python:
			refuse(f.flag, python)
		case o.Tool == Go || python != nil:
			refuse(f.flag, golang)
		}
	}
	return errors.Join(errs...)
}

// resources are the names that the old tools have for what Curfew scales.
var resources = map[string]schema.GroupKind{
	"deployments": translate.Deployment, "statefulsets": translate.StatefulSet, "cronjobs": translate.CronJob, "horizontalpodautoscalers": translate.Autoscaler,
	"rollouts": translate.Rollout, "scaledobjects": kind.ScaledObject.GroupKind(), "stacks": {Group: "zalando.org", Kind: "Stack"},
}

// included are the kinds that the old tool scaled as far as Curfew does.
func (o *Options) included() []*kind.Kind {
	if len(o.Resources) == 0 {
		return []*kind.Kind{kind.Deployment}
	}
	var kinds []*kind.Kind
	for _, name := range o.Resources {
		if k := translate.KindOf(resources[strings.ToLower(strings.TrimSpace(name))]); k != nil {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// scope is the options as the annotations that would say the same.
func (o *Options) scope() map[string]string {
	scope := map[string]string{}
	for key, text := range map[string]string{uptime: o.Uptime, downtime: o.Downtime, upscalePeriod: o.UpscalePeriod, downscalePeriod: o.DownscalePeriod} {
		if text != "" {
			scope[key] = text
		}
	}
	return scope
}
