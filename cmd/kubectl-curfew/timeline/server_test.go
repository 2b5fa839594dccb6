package timeline

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"html"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"curfew/cmd/kubectl-curfew/live"
	"curfew/scaler/annotation"
)

func wednesdayAlways() time.Time { return wednesday }

// testServer is a server on port 1234 whose token is "secret", and who has seen these.
func testServer(subjects ...live.Subject) *server {
	b := newBoard()
	b.put(subjects)
	s := newServer(b, View{Range: Week}, false, wednesdayAlways, "1234")
	s.token = "secret"
	return s
}

func TestWhoGetsIn(t *testing.T) {
	const home = "127.0.0.1:1234"
	for name, c := range map[string]struct {
		method, host, path string
		code               int
	}{
		"the page":               {"GET", home, "/secret/", 200},
		"by its other name":      {"GET", "localhost:1234", "/secret/", 200},
		"by IPv6":                {"GET", "[::1]:1234", "/secret/", 200},
		"without a slash":        {"GET", home, "/secret", 303},
		"its head":               {"HEAD", home, "/secret/", 200},
		"the head of the events": {"HEAD", home, "/secret/events", 200},
		"style":                  {"GET", home, "/secret/timeline.css", 200},
		"script":                 {"GET", home, "/secret/timeline.js", 200},
		"icon":                   {"GET", home, "/secret/icon.svg", 200},
		"another file":           {"GET", home, "/secret/index.html", 404},
		"up":                     {"GET", home, "/secret/../secret/timeline.js", 404},
		"no token":               {"GET", home, "/", 403},
		"a wrong token":          {"GET", home, "/secreT/", 403},
		"a shorter token":        {"GET", home, "/secre/", 403},
		"a longer token":         {"GET", home, "/secrets/", 403},
		"events without a token": {"GET", home, "/events", 403},
		"style without a token":  {"GET", home, "/timeline.css", 403},
		"a browser's whim":       {"GET", home, "/favicon.ico", 403},
		"a rebound name":         {"GET", "evil.example:1234", "/secret/", 403},
		"a rebound name alone":   {"GET", "evil.example", "/secret/", 403},
		"another port":           {"GET", "127.0.0.1:80", "/secret/", 403},
		"no port":                {"GET", "127.0.0.1", "/secret/", 403},
		"no host":                {"GET", "", "/secret/", 403},
		"a name that starts so":  {"GET", "localhost:1234.evil.example", "/secret/", 403},
		"a post":                 {"POST", home, "/secret/", 405},
		"a delete":               {"DELETE", home, "/secret/events", 405},
		"an odd method":          {"CONNECT", home, "/secret/", 405},
		"no such range":          {"GET", home, "/secret/events?range=year", 400},
		"no such day":            {"GET", home, "/secret/events?from=2026-02-30", 400},
		"no such zone":           {"GET", home, "/secret/events?zone=../../etc/passwd", 400},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest("GET", "/", nil)
			r.Method, r.Host = c.method, c.host
			r.URL.Path, r.URL.RawQuery, _ = strings.Cut(c.path, "?")
			w := httptest.NewRecorder()
			testServer().ServeHTTP(w, r)
			if w.Code != c.code {
				t.Errorf("%d %s", w.Code, w.Body)
			}
			if c.code >= 400 && strings.Contains(w.Body.String(), "secret") {
				t.Errorf("the token is told: %s", w.Body)
			}
			h := w.Header()
			for key, want := range map[string]string{
				"Content-Security-Policy": "default-src 'none'", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store",
			} {
				if !strings.Contains(h.Get(key), want) {
					t.Errorf("%s: %q", key, h.Get(key))
				}
			}
		})
	}
}

// The policy leaves nothing open: no inline code, nobody else's, no frames, no forms.
func TestServedPolicy(t *testing.T) {
	for _, directive := range strings.Split(servedPolicy, "; ") {
		if strings.Contains(directive, "unsafe") || strings.Contains(directive, "*") || strings.Contains(directive, ":") {
			t.Errorf("%q is wide open", directive)
		}
	}
	for _, want := range []string{"default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "connect-src 'self'"} {
		if !strings.Contains(servedPolicy, want) {
			t.Errorf("%q is missing", want)
		}
	}
	var text bytes.Buffer
	if err := writeServed(&text, View{Range: Week}); err != nil {
		t.Fatal(err)
	}
	if bad := regexp.MustCompile(`(?i)<style|<script>|\son\w+=|\sstyle=|javascript:|https?:`).FindString(strings.ReplaceAll(text.String(), "http://www.w3.org/2000/svg", "")); bad != "" {
		t.Errorf("the policy would not let %q be", bad)
	}
}

// A browser is started with an address that others on the machine may read. It lets in one, once.
func TestEntrance(t *testing.T) {
	s := testServer()
	entrance, err := url.Parse(s.entrance())
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(entrance.String(), s.token) {
		t.Fatal("the token is in it")
	}
	visit := func() *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", entrance.String(), nil)
		s.ServeHTTP(w, r)
		return w
	}
	if w := visit(); w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/secret/" {
		t.Errorf("first %d %v", w.Code, w.Header())
	}
	if w := visit(); w.Code != http.StatusForbidden {
		t.Errorf("then %d", w.Code)
	}
}

func TestTokensDiffer(t *testing.T) {
	one, two := newServer(nil, View{}, false, nil, "1"), newServer(nil, View{}, false, nil, "1")
	if one.token == two.token || len(one.token) < 26 {
		t.Errorf("%q and %q", one.token, two.token)
	}
}

// listen serves on a real port until the test ends, and returns the first model and what gives the next.
func listen(t *testing.T, s *server, query string) (Model, func() Model) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, s.port, _ = net.SplitHostPort(listener.Addr().String())
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.serve(ctx, listener) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("ends with %v", err)
		}
	})
	response, err := http.Get(s.url() + "events" + query)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	if kind := response.Header.Get("Content-Type"); response.StatusCode != 200 || kind != "text/event-stream" {
		t.Fatalf("%s, %s", response.Status, kind)
	}
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	next := func() (m Model) {
		t.Helper()
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				if err := json.Unmarshal([]byte(data), &m); err != nil {
					t.Fatal(err)
				}
				return m
			}
		}
		t.Fatal("the events have ended")
		return m
	}
	return next(), next
}

func TestEvents(t *testing.T) {
	web := func(rules string) live.Subject {
		return subject("shop", "web", 3, old, annotations{annotation.Windows: rules, annotation.Replicas: "3"})
	}
	s := testServer(web("Sat = 0"))
	m, next := listen(t, s, "?range=day&from=2026-06-06&zone=Asia/Tokyo")
	if m.Range != Day || m.Zone != "Asia/Tokyo" || m.From != time.Date(2026, 6, 5, 15, 0, 0, 0, time.UTC).Unix() || len(m.Groups) != 1 {
		t.Errorf("%+v", m)
	}
	s.board.put([]live.Subject{web("Sat = 0")}) // nothing new
	s.board.put([]live.Subject{web("Sat = 1")})
	if got := next().Groups[0].Rows[0].Texts; len(got) != 1 || got[0] != "Sat = 1" {
		t.Errorf("after a change: %q", got)
	}
	s.board.warn("it rains")
	if got := next().Trouble; got != "it rains" {
		t.Errorf("in trouble: %q", got)
	}
	s.board.warn("")
	if got := next().Trouble; got != "" {
		t.Errorf("out of trouble: %q", got)
	}
	s.board.put(nil)
	if m := next(); m.Groups == nil || len(m.Groups) != 0 {
		t.Errorf("after the end: %+v", m)
	}
}

// What is no news to a page does not wake it.
func TestBoard(t *testing.T) {
	b := newBoard()
	see := func(size, ready int32) bool {
		_, _, changed := b.look()
		s := subject("shop", "web", size, old, annotations{annotation.Windows: "Sat = 0"})
		s.Object.Ready = ready
		b.put([]live.Subject{s})
		select {
		case <-changed:
			return true
		default:
			return false
		}
	}
	for i, c := range []struct {
		size, ready int32
		want        bool
	}{{3, 0, true}, {3, 1, false}, {3, 3, false}, {0, 3, true}} {
		if got := see(c.size, c.ready); got != c.want {
			t.Errorf("step %d: woken %v", i, got)
		}
	}
	first := newBoard()
	first.put(nil)
	select {
	case <-first.first:
	default:
		t.Error("that there are none is news the first time")
	}
}

// The file holds its parts as they are hashed, and text from the cluster as data only.
func TestStatic(t *testing.T) {
	hostile := subject("shop", "web", 3, old, annotations{annotation.Windows: `</script><script>alert(1)</script><img src=x onerror=alert(2)> = 0`})
	m := week(t, hostile)
	var text bytes.Buffer
	if err := writeStatic(&text, m); err != nil {
		t.Fatal(err)
	}
	page := text.String()
	policy := html.UnescapeString(regexp.MustCompile(`content="(default-src[^"]*)"`).FindStringSubmatch(page)[1])
	for tag, inside := range map[string]string{
		"style": regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindStringSubmatch(page)[1], "script": regexp.MustCompile(`(?s)<script>(.*?)</script>`).FindStringSubmatch(page)[1],
	} {
		if !strings.Contains(policy, tag+"-src "+hash(inside)) {
			t.Errorf("the policy does not let the %s be: %s", tag, policy)
		}
	}
	if strings.Contains(policy, "unsafe") || strings.Contains(policy, "self") {
		t.Errorf("the policy is %s", policy)
	}
	if n := strings.Count(page, "<script"); n != 2 || strings.Contains(page, "<img") {
		t.Errorf("%d scripts", n)
	}
	if bad := regexp.MustCompile(`(?i)\ssrc=|<link|@import|url\(`).FindString(page); bad != "" {
		t.Errorf("it asks for more: %q", bad)
	}
	var back Model
	data := regexp.MustCompile(`(?s)id="model">(.*?)</script>`).FindStringSubmatch(page)[1]
	if err := json.Unmarshal([]byte(data), &back); err != nil {
		t.Fatal(err)
	}
	if want, _ := json.Marshal(m); string(want) != func() string { got, _ := json.Marshal(back); return string(got) }() {
		t.Errorf("the model has become\n%s\nwas\n%s", data, want)
	}
}

func TestHash(t *testing.T) {
	if got := hash(""); got != "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='" {
		t.Error(got)
	}
}

// Whatever a cluster says is text to the page.
func TestScriptMakesNoMarkup(t *testing.T) {
	if bad := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|setAttribute\("(style|on|href|src)`).FindString(script); bad != "" {
		t.Errorf("the script has %q", bad)
	}
}

func TestOpener(t *testing.T) {
	for system, want := range map[string]string{"linux": "xdg-open", "freebsd": "xdg-open", "darwin": "open", "windows": "rundll32"} {
		got := opener(system, "http://x/")
		if got[0] != want || got[len(got)-1] != "http://x/" {
			t.Errorf("%s: %q", system, got)
		}
	}
}
