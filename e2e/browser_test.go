package e2e_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// chromium is the path of a browser. CHROMIUM may name one. Without any, the test is skipped; in CI (CI=true) it fails,
// for there nobody would read that.
func chromium(t testing.TB) string {
	t.Helper()
	names := []string{"chromium", "chromium-browser", "google-chrome"}
	if name := os.Getenv("CHROMIUM"); name != "" {
		names = []string{name}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	missing := fmt.Sprintf("there is no browser, neither of %s: install chromium (apt-get install chromium), or name one in CHROMIUM", strings.Join(names, ", "))
	if os.Getenv("CI") == "true" {
		t.Fatal(missing)
	}
	t.Skip(missing)
	return ""
}

// browser is a headless Chromium with one page, and what it saw happen there.
type browser struct {
	testing.TB
	ctx context.Context

	mu         sync.Mutex
	requests   []string // the addresses asked for
	complaints []string // errors, and what a policy has stopped
}

// browse starts a browser. It ends with the test.
func (s *space) browse() *browser {
	s.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium(s.TB)), chromedp.Flag("headless", "new"), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.WindowSize(1200, 800), chromedp.WSURLReadTimeout(time.Minute))
	allocator, cancel := chromedp.NewExecAllocator(s.ctx, options...)
	s.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(allocator)
	s.Cleanup(cancel)
	b := &browser{TB: s.TB, ctx: ctx}
	s.must(chromedp.Listen(ctx, b.witness))
	for _, enable := range []cdp.Command[cdp.Empty, cdp.Empty]{log.Enable, runtime.Enable} {
		call(b, enable, cdp.Empty{})
	}
	call(b, network.Enable, network.EnableParams{})
	call(b, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}) // as if its window were the front one
	call(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: `window.violations = [];
		document.addEventListener("securitypolicyviolation", (e) => violations.push(e.violatedDirective + " " + e.blockedURI + " " + e.sample))`})
	return b
}

func call[P, R any](b *browser, command cdp.Command[P, R], params P) {
	b.Helper()
	if _, err := chromedp.Call(b.ctx, command, params); err != nil {
		b.Fatal(err)
	}
}

func (b *browser) witness(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	case *runtime.EventExceptionThrown:
		complaint := e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			complaint += " " + e.ExceptionDetails.Exception.Description
		}
		b.complaints = append(b.complaints, complaint)
	case *log.EventEntryAdded:
		b.complaints = append(b.complaints, fmt.Sprintf("%s %s", e.Entry.Text, e.Entry.URL))
	}
}

func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.Fatal(err)
	}
}

// open goes to an address, with all forgotten that was seen before.
func (b *browser) open(address string) {
	b.Helper()
	b.mu.Lock()
	b.requests, b.complaints = nil, nil
	b.mu.Unlock()
	b.do(chromedp.Navigate(address))
}

// read is the value of an expression in the page.
func read[T any](b *browser, expression string) T {
	b.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
	return value
}

// await waits until an expression in the page is true.
func (b *browser) await(expression string) {
	b.Helper()
	for deadline := time.Now().Add(30 * time.Second); !read[bool](b, expression); time.Sleep(30 * time.Millisecond) {
		if time.Now().After(deadline) {
			b.Fatalf("it does not come true: %s\nthe page has\n%s", expression, read[string](b, "document.body.innerText"))
		}
	}
}

func (b *browser) press(keys ...string) {
	b.Helper()
	for _, key := range keys {
		b.do(chromedp.KeyEvent(key))
	}
}

// prefers sets the colour scheme that the person wants: "light" or "dark".
func (b *browser) prefers(scheme string) {
	b.Helper()
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
}

// wantPeace fails if the page has asked for anything outside of origin, or anything went wrong in it or was stopped.
func (b *browser) wantPeace(origin string) {
	b.Helper()
	b.mu.Lock()
	requests, complaints := b.requests, b.complaints
	b.mu.Unlock()
	if len(requests) == 0 {
		b.Error("no request was seen")
	}
	for _, address := range requests {
		if !strings.HasPrefix(address, origin) {
			b.Errorf("it asks for %s", address)
		}
	}
	for _, complaint := range append(complaints, read[[]string](b, "violations")...) {
		b.Errorf("the browser says: %s", complaint)
	}
}

// picture writes what is seen to a file.
func (b *browser) picture(file string) {
	b.Helper()
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(file, png, 0o644); err != nil {
		b.Fatal(err)
	}
}

// focus gives the keyboard to the element that an expression finds.
func focus(expression string) chromedp.Action[chromedp.Void] {
	return chromedp.Evaluate[chromedp.Void]("(() => { " + expression + ".focus(); })()")
}

func click(selector string) chromedp.Action[chromedp.Void] {
	return chromedp.Click(chromedp.CSS(selector))
}

// luminance is a function from a colour to its luminance, as WCAG 2 defines it.
const luminance = `((color) => {
	const [r, g, b] = color.match(/[\d.]+/g).map(Number).map((v) => v / (color.startsWith("color(") ? 1 : 255)).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
})`

// faint lists the texts that stand out from what is behind them by less than 4.5 to 1. For a bar that is its fill.
const faint = `(() => {
	const luminance = ` + luminance + `;
	const solid = (c) => c && c !== "transparent" && !/, 0\)$/.test(c) && !/\/ 0\./.test(c);
	const behind = (e) => {
		for (; e; e = e.parentElement) {
			const fill = e.classList.contains("bar") && getComputedStyle(e, "::before").backgroundColor;
			if (solid(fill)) return fill;
			const own = getComputedStyle(e).backgroundColor;
			if (solid(own)) return own;
		}
		return "rgb(255, 255, 255)";
	};
	const bad = new Set();
	const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (walk.nextNode()) {
		const e = walk.currentNode.parentElement;
		if (!walk.currentNode.data.trim() || !e.checkVisibility() || /^(SCRIPT|STYLE|NOSCRIPT)$/.test(e.tagName)) continue;
		const [x, y] = [luminance(getComputedStyle(e).color), luminance(behind(e))].sort((a, b) => b - a);
		const contrast = (x + 0.05) / (y + 0.05);
		if (contrast < 4.5) bad.add(contrast.toFixed(2) + " to 1: " + e.className + " " + walk.currentNode.data.slice(0, 40));
	}
	return [...bad];
})()`

// settle lets the page be drawn.
func (b *browser) settle() { time.Sleep(300 * time.Millisecond) }
