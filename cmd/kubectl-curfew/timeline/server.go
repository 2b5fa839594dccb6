package timeline

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"curfew/timewindow"
)

// How long the server waits.
const (
	writeTimeout = 30 * time.Second
	heartbeat    = 15 * time.Second // so that a reader who has gone is noticed
	farewell     = 2 * time.Second
)

// server serves one page to whoever knows its token, on the loopback interface only.
type server struct {
	board *board
	view  View // where the page does not say otherwise
	all   bool
	now   func() time.Time

	port   string
	token  string
	ticket atomic.Pointer[string] // lets in once, and then no more
}

func newServer(b *board, v View, all bool, now func() time.Time, port string) *server {
	return &server{board: b, view: v, all: all, now: now, port: port, token: rand.Text()}
}

// url is where the page is.
func (s *server) url() string {
	return "http://" + net.JoinHostPort("127.0.0.1", s.port) + "/" + s.token + "/"
}

// entrance is an address that leads to the page once. A browser's command line can be read by everybody on the machine,
// so that is what it is started with.
func (s *server) entrance() string {
	ticket := rand.Text()
	s.ticket.Store(&ticket)
	return "http://" + net.JoinHostPort("127.0.0.1", s.port) + "/" + ticket
}

// serve answers until the context ends.
func (s *server) serve(ctx context.Context, listener net.Listener) error {
	h := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    32 << 10,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	if h.Shutdown(ctx) != nil {
		return h.Close()
	}
	return nil
}

// ServeHTTP lets nobody in who does not know the token, nor a page elsewhere whose name somebody has made to mean this
// machine, which the Host header tells.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	secure(w.Header())
	if !slices.Contains(s.hosts(), r.Host) {
		http.Error(w, "This page is for this machine only.", http.StatusForbidden)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "There is nothing to write here.", http.StatusMethodNotAllowed)
		return
	}
	token, file, inside := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if ticket := s.ticket.Load(); ticket != nil && !inside && equal(token, *ticket) && s.ticket.CompareAndSwap(ticket, nil) {
		http.Redirect(w, r, "/"+s.token+"/", http.StatusSeeOther)
		return
	}
	if !equal(token, s.token) {
		http.Error(w, "Open the address that kubectl curfew timeline has printed: it changes each time.", http.StatusForbidden)
		return
	}
	switch {
	case !inside:
		http.Redirect(w, r, "/"+s.token+"/", http.StatusSeeOther)
	case file == "":
		s.index(w, r)
	case file == "timeline.css":
		part(w, r, "text/css; charset=utf-8", style)
	case file == "timeline.js":
		part(w, r, "text/javascript; charset=utf-8", script)
	case file == "icon.svg":
		part(w, r, "image/svg+xml", icon)
	case file == "events":
		s.events(w, r)
	default:
		http.NotFound(w, r)
	}
}

func equal(x, y string) bool { return subtle.ConstantTimeCompare([]byte(x), []byte(y)) == 1 }

// hosts is how a browser on this machine may call the server.
func (s *server) hosts() []string {
	return []string{"127.0.0.1:" + s.port, "localhost:" + s.port, "[::1]:" + s.port}
}

func secure(h http.Header) {
	h.Set("Content-Security-Policy", servedPolicy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

func (s *server) index(w http.ResponseWriter, r *http.Request) {
	var text bytes.Buffer
	if err := writeServed(&text, s.view); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	part(w, r, "text/html; charset=utf-8", text.String())
}

func part(w http.ResponseWriter, r *http.Request, kind, text string) {
	w.Header().Set("Content-Type", kind)
	http.ServeContent(w, r, "", time.Time{}, strings.NewReader(text))
}

// events sends the model of the stretch that the page shows: at once, and whenever it changes.
func (s *server) events(w http.ResponseWriter, r *http.Request) {
	v, err := viewOf(r.URL.Query(), s.view)
	if err == nil {
		_, err = Make(nil, v, s.now(), false) // is there such a day?
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if r.Method == http.MethodHead {
		return
	}
	out := http.NewResponseController(w)
	if out.SetReadDeadline(time.Time{}) != nil { // else the request would end with its time to be read
		return
	}
	send := func(text string) bool {
		if out.SetWriteDeadline(time.Now().Add(writeTimeout)) != nil {
			return false
		}
		_, err := fmt.Fprint(w, text)
		return err == nil && out.Flush() == nil
	}
	for send("retry: 1000\n") {
		subjects, trouble, changed := s.board.look()
		m, err := Make(subjects, v, s.now(), s.all)
		if err != nil {
			return
		}
		m.Trouble = readable(trouble)
		text, err := json.Marshal(m)
		if err != nil || !send("data: "+string(text)+"\n\n") {
			return
		}
		for waiting := true; waiting; {
			select {
			case <-r.Context().Done():
				return
			case <-changed:
				waiting = false
			case <-time.After(heartbeat):
				if !send(":\n\n") {
					return
				}
			}
		}
		select {
		case <-r.Context().Done():
			return
		case <-time.After(pause):
		}
	}
}

// viewOf reads what a page asks for; what it does not say is as in v. The error names the parameter.
func viewOf(q url.Values, v View) (View, error) {
	if q.Has("range") {
		if v.Range = q.Get("range"); !slices.Contains(Ranges(), v.Range) {
			return v, fmt.Errorf("range: %q is not a range; it is day, week or month", v.Range)
		}
	}
	if q.Has("from") {
		v.From = q.Get("from")
	}
	if name := q.Get("zone"); name != "" {
		zone, err := timewindow.LoadZone(name)
		if err != nil {
			return v, fmt.Errorf("zone: %w", err)
		}
		v.Zone = zone
	}
	return v, nil
}
