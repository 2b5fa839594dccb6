package timewindow

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// The zone data is compiled in and is the only one that is ever read, so that every build of the same source means the
// same by a rule: no environment variable and no file of the host has a say.
//
//go:generate sh -c "cp \"$(go env GOROOT)/lib/time/zoneinfo.zip\" zoneinfo.zip"
//go:embed zoneinfo.zip
var zoneinfo []byte

// ZoneDataVersion is the release of the IANA time zone database in zoneinfo.zip.
const ZoneDataVersion = "2025c"

// zoneFiles is the content of zoneinfo.zip by the zone's name.
var zoneFiles = sync.OnceValues(func() (map[string]*zip.File, error) {
	r, err := zip.NewReader(bytes.NewReader(zoneinfo), int64(len(zoneinfo)))
	if err != nil {
		return nil, fmt.Errorf("the zone data compiled in is damaged: %w", err)
	}
	files := make(map[string]*zip.File, len(r.File))
	for _, f := range r.File {
		if !strings.HasSuffix(f.Name, "/") && f.Name != "Factory" {
			files[f.Name] = f
		}
	}
	return files, nil
})

// zones holds a *zone for each name that was asked for. It cannot grow beyond the few hundred names that exist.
var zones sync.Map

// LoadZone returns the zone of an IANA name such as Europe/Berlin. It refuses "", "Local", abbreviations such as PST,
// and anything else that does not name one zone for everybody; the error wraps a [Fault] that says what to write instead.
func LoadZone(name string) (*time.Location, error) {
	z, f := loadZone(name)
	if f != nil {
		return nil, zoneError{Text: f.text, Problem: f.problem + NotPlain(f.text), Hint: f.hint}
	}
	return z.loc, nil
}

// zoneError is a [Fault] without a place: the whole text is the zone.
type zoneError Fault

func (e zoneError) Error() string {
	return fmt.Sprintf("%q: %s; %s", shorten(e.Text, 60), e.Problem, e.Hint) // the text even if it is empty
}

// Unwrap gives the parts to whoever wants them.
func (e zoneError) Unwrap() error { return Fault(e) }

// loadZone is LoadZone with a fault at offset 0.
func loadZone(name string) (*zone, *fault) {
	if z, ok := zones.Load(name); ok {
		return z.(*zone), nil
	}
	if problem, hint := refuseZone(name); problem != "" {
		return nil, &fault{0, name, problem, hint}
	}
	loc, err := readZone(name)
	if err != nil {
		return nil, &fault{0, name, err.Error(), zoneExample}
	}
	z, _ := zones.LoadOrStore(name, newZone(loc))
	return z.(*zone), nil
}

// zoneOf returns the zone of a location that the caller brought, which may have come from LoadZone or from elsewhere.
func zoneOf(loc *time.Location) *zone {
	if loc == nil {
		loc = time.UTC
	}
	if z, ok := zones.Load(loc.String()); ok && z.(*zone).loc == loc {
		return z.(*zone)
	}
	return newZone(loc)
}

func readZone(name string) (*time.Location, error) {
	files, err := zoneFiles()
	if err != nil {
		return nil, err
	}
	f, ok := files[name]
	if !ok {
		return nil, errors.New("there is no such zone")
	}
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return time.LoadLocationFromTZData(name, data)
}
