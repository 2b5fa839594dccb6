package scaler

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	logsjson "k8s.io/component-base/logs/json"
	"k8s.io/klog/v2/textlogger"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"

	"curfew/scaler/annotation"
)

// TestTheLog: one line for each change, with all that there is to know about it, and none besides.
func TestTheLog(t *testing.T) {
	type annotations = map[string]string
	for name, c := range map[string]struct {
		annotations annotations
		dryRun      bool
		then        func(*world)
		text, json  []string
	}{
		"a boundary, and the next": {
			annotations: annotations{annotation.Windows: "14:00-15:00 = 0"},
			then:        func(*world) { time.Sleep(4 * time.Hour) },
			text: []string{
				`I "Noted" deployment="default/web" state="normal" until="2026-06-01T14:00:00Z"`,
				`I "Scaled" deployment="default/web" from=3 to=0 reason="WindowStarted" state="window" rule="14:00-15:00 = 0" until="2026-06-01T15:00:00Z"`,
				`I "Scaled" deployment="default/web" from=0 to=3 reason="WindowEnded" state="normal" until="2026-06-02T14:00:00Z"`,
			},
			json: []string{
				`{"msg":"Noted","deployment":"default/web","v":0,"state":"normal","until":"2026-06-01T14:00:00Z"}`,
				`{"msg":"Scaled","deployment":"default/web","v":0,"from":3,"to":0,"reason":"WindowStarted","state":"window","rule":"14:00-15:00 = 0","until":"2026-06-01T15:00:00Z"}`,
				`{"msg":"Scaled","deployment":"default/web","v":0,"from":0,"to":3,"reason":"WindowEnded","state":"normal","until":"2026-06-02T14:00:00Z"}`,
			},
		},
		"a boundary that comes late": {
			annotations: annotations{annotation.Windows: "14:00-15:00 = 0"},
			then: func(w *world) {
				w.patcher.refuses(func(write) error { return errors.New("the network is down") })
				time.Sleep(2 * time.Hour)
				w.patcher.refuses(nil)
				time.Sleep(time.Minute)
			},
			text: []string{
				`I "Noted" deployment="default/web" state="normal" until="2026-06-01T14:00:00Z"`,
				`E "Failed, will try again" err="writing: the network is down" deployment="default/web" tries=1`,
				`E "Failed, will try again" err="writing: the network is down" deployment="default/web" tries=2`,
				`E "Failed, will try again" err="writing: the network is down" deployment="default/web" tries=3`,
				`E "Failed, will try again" err="writing: the network is down" deployment="default/web" tries=4`,
				`E "Failed, will try again" err="writing: the network is down" deployment="default/web" tries=5`,
				`I "Scaled" deployment="default/web" from=3 to=0 reason="WindowStarted" state="window" rule="14:00-15:00 = 0" until="2026-06-01T15:00:00Z" delay="155ms"`,
			},
			json: []string{
				`{"msg":"Noted","deployment":"default/web","v":0,"state":"normal","until":"2026-06-01T14:00:00Z"}`,
				`{"msg":"Failed, will try again","deployment":"default/web","tries":1,"err":"writing: the network is down"}`,
				`{"msg":"Failed, will try again","deployment":"default/web","tries":2,"err":"writing: the network is down"}`,
				`{"msg":"Failed, will try again","deployment":"default/web","tries":3,"err":"writing: the network is down"}`,
				`{"msg":"Failed, will try again","deployment":"default/web","tries":4,"err":"writing: the network is down"}`,
				`{"msg":"Failed, will try again","deployment":"default/web","tries":5,"err":"writing: the network is down"}`,
				`{"msg":"Scaled","deployment":"default/web","v":0,"from":3,"to":0,"reason":"WindowStarted","state":"window","rule":"14:00-15:00 = 0","until":"2026-06-01T15:00:00Z","delay":"155ms"}`,
			},
		},
		"a mistake": {
			annotations: annotations{annotation.Windows: "14-15 = 0"},
			then:        func(*world) { time.Sleep(4 * time.Hour) },
			text: []string{
				`I "Left as it stands" deployment="default/web" state="invalid" message="annotation curfew/windows: line 1, column 1: \"14-15\": there is no such date; check the month and the day of the month"`,
			},
			json: []string{
				`{"msg":"Left as it stands","deployment":"default/web","v":0,"state":"invalid","message":"annotation curfew/windows: line 1, column 1: \"14-15\": there is no such date; check the month and the day of the month"}`,
			},
		},
		"a drift": {
			annotations: annotations{annotation.Windows: "always = 2"},
			then: func(w *world) {
				w.update("web", func(d *appsv1.Deployment) { d.Spec.Replicas = ptr.To[int32](5) })
				w.settle()
			},
			text: []string{
				`I "Scaled" deployment="default/web" from=3 to=2 reason="WindowStarted" state="window" rule="always = 2"`,
				`I "Scaled" deployment="default/web" from=5 to=2 reason="DriftCorrected" state="window" rule="always = 2"`,
			},
			json: []string{
				`{"msg":"Scaled","deployment":"default/web","v":0,"from":3,"to":2,"reason":"WindowStarted","state":"window","rule":"always = 2"}`,
				`{"msg":"Scaled","deployment":"default/web","v":0,"from":5,"to":2,"reason":"DriftCorrected","state":"window","rule":"always = 2"}`,
			},
		},
		"an override": {
			annotations: annotations{annotation.Windows: "always = 2", annotation.OverrideKey: "5 until 2026-06-01T13:00:00Z"},
			text: []string{
				`I "Scaled" deployment="default/web" from=3 to=5 reason="Overridden" state="override" until="2026-06-01T13:00:00Z"`,
			},
			json: []string{
				`{"msg":"Scaled","deployment":"default/web","v":0,"from":3,"to":5,"reason":"Overridden","state":"override","until":"2026-06-01T13:00:00Z"}`,
			},
		},
		"the rules go": {
			annotations: annotations{annotation.Windows: "always = 2"},
			then: func(w *world) {
				w.update("web", func(d *appsv1.Deployment) { delete(d.Annotations, annotation.Windows) })
				w.settle()
			},
			text: []string{
				`I "Scaled" deployment="default/web" from=3 to=2 reason="WindowStarted" state="window" rule="always = 2"`,
				`I "Scaled" deployment="default/web" from=2 to=3 reason="RulesRemoved"`,
			},
			json: []string{
				`{"msg":"Scaled","deployment":"default/web","v":0,"from":3,"to":2,"reason":"WindowStarted","state":"window","rule":"always = 2"}`,
				`{"msg":"Scaled","deployment":"default/web","v":0,"from":2,"to":3,"reason":"RulesRemoved"}`,
			},
		},
		"a dry run": {
			annotations: annotations{annotation.Windows: "always = 2"},
			dryRun:      true,
			text: []string{
				`I "Scaled" deployment="default/web" dryRun=true from=3 to=2 reason="WindowStarted" state="window" rule="always = 2"`,
			},
			json: []string{
				`{"msg":"Scaled","deployment":"default/web","dryRun":true,"v":0,"from":3,"to":2,"reason":"WindowStarted","state":"window","rule":"always = 2"}`,
			},
		},
		"nothing to do": {
			annotations: annotations{"curfew/grace": "1h"},
			then:        func(*world) { time.Sleep(4 * time.Hour) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			for format, want := range map[string][]string{"text": c.text, "json": c.json} {
				t.Run(format, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						var out bytes.Buffer
						logger := textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(&out)))
						if format == "json" {
							logger, _ = logsjson.NewJSONLogger(0, logsjson.AddNopSync(&out), nil, nil)
						}
						w := newWorld(t, june, clock.RealClock{})
						w.stop()
						w.logger = &logger
						w.start()
						w.reconciler.DryRun = c.dryRun
						if _, err := w.client.AppsV1().Deployments("default").Create(t.Context(), deployment("web", 3, c.annotations), metav1.CreateOptions{}); err != nil {
							t.Fatal(err)
						}
						w.settle()
						if c.then != nil {
							c.then(w)
						}
						w.stop()
						got := lines(out.String())
						if diff := cmp.Diff(want, got[1:len(got)-1], cmpopts.EquateEmpty()); diff != "" { // between Started and Stopped
							t.Errorf("(-want +got)\n%s", diff)
						}
					})
				})
			}
		})
	}
}

// changing is what differs from one run to the next: the time, the process and the place in the source.
var changing = regexp.MustCompile(`^(.)\d{4} \S+ +\d+ \w+\.go:\d+\]|"ts":[0-9.]+,"caller":"\w+/\w+.go:\d+",`)

func lines(log string) (lines []string) {
	for line := range strings.Lines(log) {
		lines = append(lines, changing.ReplaceAllString(strings.TrimSpace(line), "$1"))
	}
	return lines
}
