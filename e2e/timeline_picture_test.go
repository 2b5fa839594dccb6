package e2e_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"curfew/e2e/harness"
)

func hasStatus(d *appsv1.Deployment) bool { return harness.StatusOf(d) != nil }

// TestTimelinePicture makes the picture in the README:
//
//	cd e2e && CURFEW_SCREENSHOT=$PWD/../docs/timeline.png go test -count=1 -run TestTimelinePicture .
//
// With CURFEW_SCREENSHOTS=1 besides, it makes some more beside it, to be looked at.
func TestTimelinePicture(t *testing.T) {
	file := os.Getenv("CURFEW_SCREENSHOT")
	if file == "" {
		t.Skip("CURFEW_SCREENSHOT names no file to write")
	}
	s := newSpace(t)
	const office = "Mon-Fri 07:00-20:00 = normal; always = 0"
	zone, err := time.LoadLocation("Europe/Berlin")
	s.must(err)
	today := time.Now().In(zone)
	evening := time.Date(today.Year(), today.Month(), today.Day()+3, 20, 0, 0, 0, zone).Format(time.RFC3339)
	sale := today.Format(time.DateOnly) + ".." + today.AddDate(0, 0, 3).Format(time.DateOnly) + " = 6"
	for namespace, deployments := range map[string]map[string]struct {
		size        int32
		own         bool // not for the shared Curfew
		annotations annotations
	}{
		"billing": {
			"invoices": {2, false, annotations{harness.Windows: "Mon-Fri 20:00-06:00 = 0; Sat,Sun = 0", harness.Replicas: "2"}},
			"ledger":   {4, false, annotations{harness.Windows: "22:00-06:00 = 50%", harness.Replicas: "4"}},
			"reports":  {3, false, annotations{harness.Windows: "cron(0 5 * * 1-5) for 3h = 6; Sat,Sun = 1", harness.Replicas: "3"}},
		},
		"shop": {
			"cart":     {3, false, annotations{harness.Windows: office, harness.Replicas: "3"}},
			"checkout": {2, false, annotations{harness.Windows: office, harness.Replicas: "3", harness.Override: "5 until " + evening}},
			"frontend": {6, false, annotations{harness.Windows: "Fri 20:00 - Mon 07:00 = 50%; 01:00-05:00 = 2", harness.Replicas: "6"}},
			"payments": {3, false, annotations{harness.Windows: "Mon-Fri 8-20 = normal", harness.Replicas: "3"}},
			"search": {6, true, annotations{harness.Windows: sale + "; Sat,Sun = 2", harness.Replicas: "4",
				harness.Status: `{"state":"contested","size":6,"normal":4,"message":"\"helm\" keeps changing the size, so it is put back more and more slowly; leave replicas out of what the chart makes, or out of its values"}`}},
		},
		"staging": {
			"api":     {1, false, annotations{harness.Windows: office, harness.Paused: "true", harness.Replicas: "1"}},
			"batch":   {2, false, annotations{harness.Windows: "23:00-04:00 = 8; always = 0", harness.Replicas: "2"}},
			"preview": {2, false, annotations{harness.Windows: office, harness.Replicas: "2", harness.Grace: "40h"}},
		},
	} {
		_, err := s.cluster.Client.CoreV1().Namespaces().Create(s.ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			t.Fatal(err)
		}
		for name, c := range deployments {
			d := harness.NewDeployment(name, c.size, c.annotations)
			d.Labels["picture"] = ""
			d.Annotations[harness.Timezone] = "Europe/Berlin"
			if c.own {
				d.Labels[ownLabel] = ""
			}
			_, err := s.cluster.Client.AppsV1().Deployments(namespace).Create(s.ctx, d, metav1.CreateOptions{})
			s.must(err)
			if !c.own {
				_, err = s.cluster.AwaitDeployment(s.ctx, namespace, name, name+": a status", hasStatus)
				s.must(err)
			}
		}
	}
	address, end := s.timeline("-A", "-l", "picture", "--from", today.Format(time.DateOnly))
	defer end()
	b := s.browse()
	b.prefers("light")
	b.open(address)
	b.await(`document.querySelectorAll(".row").length === 11 && document.querySelectorAll(".bar.normal").length > 10 && document.querySelector("#state").textContent === "live"`)
	b.do(chromedp.EmulateViewport(1200, 634))
	b.do(focus(bars("cart", ".bar.down") + "[3]"))
	b.settle()
	b.picture(file)
	if info, err := os.Stat(file); err != nil || info.Size() > 150<<10 {
		t.Errorf("the picture is large: %v, %v", info, err)
	}
	if os.Getenv("CURFEW_SCREENSHOTS") == "" {
		return
	}
	for _, more := range []struct {
		name string
		do   func()
	}{
		{"dark", func() { b.prefers("dark") }},
		{"month", func() { b.prefers("light"); b.do(click("#next"), click("#ranges [value=month]")) }},
		{"table", func() { b.do(click("#ranges [value=week]"), click("#as-table")) }},
	} {
		more.do()
		b.settle()
		b.picture(strings.TrimSuffix(file, ".png") + "-" + more.name + ".png")
	}
}
