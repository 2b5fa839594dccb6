package e2e_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"curfew/e2e/harness"
)

// timeline starts "kubectl curfew timeline" and returns the address of its page, and what ends it.
func (s *space) timeline(args ...string) (address string, end func()) {
	s.Helper()
	command := s.pluginCommand(append([]string{"timeline", "--open=false"}, args...)...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.StdoutPipe()
	s.must(err)
	s.must(command.Start())
	s.Cleanup(func() { _ = command.Process.Kill() })
	address, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		_ = command.Wait()
		s.Fatalf("%v; it says %s", err, &stderr)
	}
	return strings.TrimSpace(address), func() {
		s.Helper()
		s.must(command.Process.Signal(syscall.SIGINT))
		if err := command.Wait(); err != nil {
			s.Errorf("Ctrl-C ends it with %v; it says %s", err, &stderr)
		}
	}
}

// bars is an expression for the bars of a Deployment that are such.
func bars(deployment, selector string) string {
	return fmt.Sprintf(`[...document.querySelectorAll(".row")].filter((r) => r.querySelector(".text").textContent === %q).flatMap((r) => [...r.querySelectorAll(%q)])`, deployment, selector)
}

// today is the date in UTC: from there a week has room for what is new.
func today() string { return time.Now().UTC().Format(time.DateOnly) }

const noon = "00:00-12:00 = 0; 12:00-14:00 = 5"

// TestTimeline looks at the page as somebody would who has it open while the cluster changes.
func TestTimeline(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	s.labels = map[string]string{ownLabel: ""}
	b := s.browse()
	s.create("web", 3, annotations{harness.Windows: noon, harness.Replicas: "3"})
	s.create("db", 1, annotations{harness.Windows: "always = 1", harness.Paused: "true"})
	s.create("plain", 2, nil)
	address, end := s.timeline("--from", today())
	b.open(address)

	// What there is.
	b.await(bars("web", ".bar") + `.length > 13`)
	for kind, want := range map[string]bool{".normal": true, ".down": true, ".up": true, ".override": false} {
		if got := read[bool](b, bars("web", ".bar"+kind)+".length > 0"); got != want {
			t.Errorf("%s bars: %v", kind, got)
		}
	}
	if got := read[string](b, bars("db", ".bar")+`.at(-1).textContent`); got != "‖ paused 1" {
		t.Errorf("db is %q", got)
	}
	if got := read[string](b, `document.querySelector("#sum").textContent`); !strings.Contains(got, "2 workloads, 1 without rules left out") || !strings.Contains(got, "replica-hours saved") {
		t.Errorf("the sum says %q", got)
	}
	b.await(`document.querySelector("#state").textContent === "live" && !document.querySelector("#now-line").hidden`)
	// A day of 24 hours is a seventh of the axis, and a bar of two hours a twelfth of that.
	if got := read[float64](b, `(() => { const bar = `+bars("web", ".bar.up")+`.at(-1); return bar.offsetWidth / bar.parentElement.offsetWidth * 7 * 12; })()`); got < 0.9 || got > 1.1 {
		t.Errorf("two hours are drawn as %.2f times two hours", got)
	}

	// A change comes by itself, and takes nobody's focus away.
	b.do(focus(bars("web", ".bar") + ".at(-1)"))
	until := time.Now().UTC().Add(30 * time.Hour).Format(time.RFC3339)
	s.update("web", func(d *appsv1.Deployment) { d.Annotations[harness.Override] = "7 until " + until })
	b.await(bars("web", ".bar.override") + `.length === 1`)
	if got := read[string](b, `document.activeElement.className`); !strings.HasPrefix(got, "bar") {
		t.Errorf("the focus is on %q", got)
	}
	s.must(s.deployments().Delete(s.ctx, "db", metav1.DeleteOptions{}))
	b.await(bars("db", ".bar") + `.length === 0 && document.querySelectorAll(".row").length === 1`)

	// By keyboard: the filter, and from bar to bar.
	s.create("zoo", 1, annotations{harness.Windows: noon})
	b.await(bars("zoo", ".bar") + `.length > 13`)
	b.do(focus(bars("web", ".bar") + "[0]"))
	b.press(kb.ArrowRight, kb.ArrowRight)
	if got := read[int](b, bars("web", ".bar")+`.indexOf(document.activeElement)`); got != 2 {
		t.Errorf("→ → leads to bar %d", got)
	}
	b.press(kb.ArrowDown)
	if !read[bool](b, bars("zoo", ".bar")+`.includes(document.activeElement)`) {
		t.Error("↓ does not lead to the next Deployment")
	}
	b.press(kb.End, kb.ArrowLeft, kb.ArrowUp)
	if !read[bool](b, bars("web", ".bar")+`.includes(document.activeElement)`) {
		t.Error("↑ does not lead back")
	}
	tip := read[string](b, `document.querySelector("#tip").hidden ? "" : document.querySelector("#tip").innerText`)
	label := read[string](b, `document.activeElement.getAttribute("aria-label")`)
	for _, want := range []string{"UTC", "Lasts"} {
		if !strings.Contains(tip, want) || !strings.Contains(label, want) {
			t.Errorf("%q is not in what a bar says:\n%s\n%s", want, tip, label)
		}
	}
	if got := read[int](b, `document.querySelectorAll('.bar[tabindex="0"]').length`); got != 1 {
		t.Errorf("%d bars can be reached with Tab", got)
	}
	b.press(kb.Escape)
	b.press("/")
	b.press("z", "o", "o")
	b.await(`[...document.querySelectorAll(".row:not([hidden])")].map((r) => r.querySelector(".text").textContent).join() === "zoo"`)
	b.press(kb.Escape)
	b.await(`document.querySelectorAll(".row:not([hidden])").length === 2 && document.querySelector("#filter").value === ""`)

	// Other stretches of time, and the table.
	title := read[string](b, `document.querySelector("#title").textContent`)
	b.do(click("#next"))
	b.await(fmt.Sprintf(`document.querySelector("#title").textContent !== %q`, title))
	b.do(click("#now"))
	b.await(fmt.Sprintf(`document.querySelector("#title").textContent === %q`, title))
	b.do(click(`#ranges [value=month]`))
	b.await(fmt.Sprintf(`document.querySelector("#title").textContent === %q`, time.Now().UTC().Format("January 2006")))
	b.do(click("#as-table"))
	b.await(`document.querySelectorAll("#table tbody tr").length > 2 && document.querySelector("#table").innerText.includes("00:00-12:00 = 0")`)
	b.do(click("#as-bars"), chromedp.Evaluate[chromedp.Void](`location.hash = "range=week&from=`+today()+`"`)) // as a bookmark does
	b.await(`["normal", "down", "override"].every((kind) => [...document.querySelectorAll(".row .bar." + kind)].some((bar) => bar.textContent))`)

	// Both schemes are what they say, and can be read.
	for _, scheme := range []string{"light", "dark"} {
		b.prefers(scheme)
		if dark := read[float64](b, luminance+`(getComputedStyle(document.body).backgroundColor)`) < 0.2; dark != (scheme == "dark") {
			t.Errorf("%s: the page is dark: %v", scheme, dark)
		}
		for _, bad := range read[[]string](b, faint) {
			t.Errorf("%s: %s", scheme, bad)
		}
	}

	// Nothing went wrong, and nothing was asked of anybody else.
	origin := address[:strings.Index(address[8:], "/")+9]
	b.wantPeace(origin)
	s.onlyFor(address)

	end()
	b.await(`document.querySelector("#state").textContent.startsWith("Connection lost")`)
}

// onlyFor checks the door of the running program: no token, another name, another method.
func (s *space) onlyFor(address string) {
	s.Helper()
	ask := func(method, address, host string) int {
		request, err := http.NewRequestWithContext(s.ctx, method, address, nil)
		s.must(err)
		request.Host = host
		response, err := http.DefaultClient.Do(request)
		s.must(err)
		defer response.Body.Close()
		_, _ = io.Copy(io.Discard, response.Body)
		return response.StatusCode
	}
	without := address[:strings.LastIndex(strings.TrimSuffix(address, "/"), "/")+1]
	for name, c := range map[string]struct{ got, want int }{
		"as it is":     {ask("GET", address, ""), 200},
		"no token":     {ask("GET", without, ""), 403},
		"wrong token":  {ask("GET", without+"AAAA/", ""), 403},
		"another name": {ask("GET", address, "evil.example"), 403},
		"a post":       {ask("POST", address, ""), 405},
	} {
		if c.got != c.want {
			s.Errorf("%s: %d, want %d", name, c.got, c.want)
		}
	}
}

// TestTimelineOfHostileText shows what somebody may have written who wants more than to scale, in the page that is
// served and in the file.
func TestTimelineOfHostileText(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	s.labels = map[string]string{ownLabel: ""}
	b := s.browse()
	texts := []string{
		`<script>window.pwned = 1</script>`,
		`"><img src=x onerror=window.pwned=1>`,
		`</script><script>window.pwned = 1</script>`,
		`'-(window.pwned=1)-'`,
		"\u202eevil\u2066\x1b[31m\x00\u2028" + `<svg onload=window.pwned=1>`,
		`<a href="javascript:window.pwned=1">` + strings.Repeat("long", 4000),
		`{{.}}${window.pwned=1}`,
	}
	for i, text := range texts {
		text = strings.ReplaceAll(text, "\x00", "\x01") // the API server takes no NUL
		s.create(fmt.Sprint("rules-", i), 1, annotations{harness.Windows: text + " = 0"})
		s.create(fmt.Sprint("pause-", i), 1, annotations{harness.Windows: "always = 0", harness.Paused: text})
		s.create(fmt.Sprint("status-", i), 1, annotations{harness.Windows: "always = 0", harness.Status: `{"state":"contested","size":0,"normal":1,"message":` + fmt.Sprintf("%q", text) + `}`})
	}
	harmless := func() {
		t.Helper()
		b.await(`document.querySelectorAll(".row").length === ` + fmt.Sprint(3*len(texts)))
		all := read[string](b, `(() => { const all = []; for (const bar of document.querySelectorAll(".bar")) { if (!bar.shown?.s) continue; bar.focus(); all.push(document.querySelector("#tip").innerText, bar.getAttribute("aria-label")); }
			document.querySelector("#as-table").click(); return all.join("\n") + document.querySelector("#table").innerText; })()`)
		for _, want := range []string{"<script>", "<img src=x", `\u202e`, `\x1b`} {
			if !strings.Contains(all, want) {
				t.Errorf("%q is not shown as text", want)
			}
		}
		if strings.ContainsAny(all, "\u202e\u2066\x1b") {
			t.Error("what turns text around is not escaped")
		}
		if got := read[string](b, `String(window.pwned) + document.querySelectorAll("main script, main img, main svg, main a").length`); got != "undefined0" {
			t.Errorf("something ran, or became markup: %s", got)
		}
		if got := read[bool](b, `document.documentElement.scrollWidth <= innerWidth`); !got {
			t.Error("a long text makes the page wider than the window")
		}
	}
	address, end := s.timeline()
	defer end()
	b.open(address)
	harmless()
	b.wantPeace(address[:strings.LastIndex(strings.TrimSuffix(address, "/"), "/")])

	file := t.TempDir() + "/week.html"
	s.curfew("timeline", "--static", file).want(t, 0, "", "")
	b.open("file://" + file)
	harmless()
	b.wantPeace("file://" + file)
}

// TestTimelineFile writes the page to a file, which shows the same without a server and says as of when.
func TestTimelineFile(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	s.labels = map[string]string{ownLabel: ""}
	s.create("web", 3, annotations{harness.Windows: noon, harness.Replicas: "3", harness.Timezone: "Asia/Tokyo"})
	s.create("plain", 2, nil)
	file := t.TempDir() + "/week.html"
	s.curfew("timeline", "deploy/web", "--from", today(), "--static", file).want(t, 0, "", "")
	text, err := os.ReadFile(file)
	s.must(err)
	if a := s.curfew("timeline", "deploy/web", "--from", today(), "--static", "-"); a.code != 0 || len(a.stdout) < len(text)/2 || a.stderr != "" {
		t.Errorf("- gives %d bytes, the file has %d; exit code %d, %s", len(a.stdout), len(text), a.code, a.stderr)
	}
	if bytes.Contains(text, []byte("example.com/owner")) {
		t.Error("it has more of the Deployment than it shows")
	}
	b := s.browse()
	b.open("file://" + file)
	b.await(bars("web", ".bar") + `.length > 13`)
	if got := read[string](b, `document.querySelector("#state").textContent`); !strings.HasPrefix(got, "as of ") || !strings.HasSuffix(got, " JST") {
		t.Errorf("it is %q", got)
	}
	b.do(focus(bars("web", ".bar.up") + ".at(-1)"))
	if got := read[string](b, `document.querySelector("#tip").innerText`); !strings.Contains(got, "12:00 – 14:00 JST") || !strings.Contains(got, "03:00 – 05:00 UTC") {
		t.Errorf("a bar says %s", got)
	}
	b.wantPeace("file://" + file)
}

// TestTimelineOfANamespace: one that is named is shown, wherever the command line is at home, and followed.
func TestTimelineOfANamespace(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	s.create("web", 3, annotations{harness.Windows: noon})
	s.create("plain", 2, nil)
	address, end := s.timeline("-n", "default", "ns/"+s.namespace)
	request, err := http.NewRequestWithContext(s.ctx, http.MethodGet, address+"events", nil)
	s.must(err)
	response, err := http.DefaultClient.Do(request)
	s.must(err)
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	await := func(name string) (model string) {
		s.Helper()
		for lines.Scan() {
			if strings.Contains(lines.Text(), `"name":"`+name+`"`) {
				return lines.Text()
			}
		}
		s.Fatalf("%s is never shown: %v", name, lines.Err())
		return ""
	}
	if model := await("web"); strings.Contains(model, `"name":"plain"`) {
		t.Errorf("what has no rules is shown: %s", model)
	}
	s.create("late", 1, annotations{harness.Windows: noon})
	await("late")
	end()
}

// TestTimelineSaysWhatIsWrong: no page is offered that could show nothing.
func TestTimelineSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	if a := s.curfew("timeline", "--open=false", "--as", "nobody"); a.code != 1 || a.stdout != "" || !strings.Contains(a.stderr, "error: the right to list deployments.apps in the namespace "+s.namespace+" is missing") {
		t.Errorf("without rights: %+v", a)
	}
	if a := s.curfew("timeline", "--open=false", "deploy/absent"); a.code != 1 || a.stdout != "" || !strings.Contains(a.stderr, `"absent" not found`) {
		t.Errorf("one that is not there: %+v", a)
	}
}
