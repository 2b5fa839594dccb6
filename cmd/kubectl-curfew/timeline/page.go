package timeline

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the parts of the page
	"encoding/base64"
	"html/template"
	"io"
)

var (
	//go:embed page/index.html
	index string
	//go:embed page/timeline.css
	style string
	//go:embed page/timeline.js
	script string
	//go:embed page/icon.svg
	icon string
)

var page = template.Must(template.New("page").Parse(index))

// pageData is what the page is made from.
type pageData struct {
	Ranges []string
	Range  string // the first to show
	From   string

	// What a page has within itself that nobody serves.
	Static bool
	Policy string
	Style  template.CSS
	Script template.JS
	Model  *Model
}

// servedPolicy lets a page that is served load its own parts and listen to its own server, and nothing else.
const servedPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// writeServed writes the page that fetches the rest from its server.
func writeServed(w io.Writer, v View) error {
	return page.Execute(w, pageData{Ranges: Ranges(), Range: v.Range, From: v.From})
}

// writeStatic writes a page that needs nothing and nobody. Its policy names its style and its script by their hashes, so
// whatever else might get into it does not run.
func writeStatic(w io.Writer, m Model) error {
	var text bytes.Buffer
	err := page.Execute(&text, pageData{
		Ranges: Ranges(), Range: m.Range, Static: true, Model: &m,
		Policy: "default-src 'none'; script-src " + hash(script) + "; style-src " + hash(style) +
			"; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
		Style: template.CSS(style), Script: template.JS(script),
	})
	if err != nil {
		return err
	}
	_, err = w.Write(text.Bytes())
	return err
}

// hash is a source of a Content-Security-Policy that means this text.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
