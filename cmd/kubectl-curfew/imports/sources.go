package imports

import (
	"strings"

	"github.com/spf13/pflag"

	"curfew/cmd/kubectl-curfew/imports/cronhpa"
	"curfew/cmd/kubectl-curfew/imports/cronjob"
	"curfew/cmd/kubectl-curfew/imports/keda"
	"curfew/cmd/kubectl-curfew/imports/kubegreen"
	"curfew/cmd/kubectl-curfew/imports/translate"
	"curfew/cmd/kubectl-curfew/manifest"
)

// Sources are the tools besides kube-downscaler's two whose schedules are known.
func Sources() []Source {
	var zone string // of the process that carries out CronHorizontalPodAutoscalers
	return []Source{
		{Name: "kube-green", Translate: kubegreen.Translate},
		{Name: "keda", Translate: keda.Translate},
		{
			Name: "cronhpa",
			Translate: func(objects []manifest.Object) []translate.Translation {
				return cronhpa.New(zone)(objects)
			},
			AddFlags: func(flags *pflag.FlagSet) {
				flags.StringVar(&zone, strings.TrimPrefix(cronhpa.ZoneFlag, "--"), zone,
					"IANA zone that the controller of CronHorizontalPodAutoscalers runs in, such as Asia/Shanghai, which its chart sets.")
			},
		},
		{Name: "cronjob", Translate: cronjob.Translate},
	}
}
