package lint

import (
	"net/url"
	"path/filepath"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"curfew/cmd/internal/version"
	"curfew/cmd/kubectl-curfew/manifest"
)

// root is what SARIF calls the folder that relative paths start from, by custom.
const root = "%SRCROOT%"

// sarif is the report in that format. Files in the folder dir are named relative to it.
func (r Report) sarif(dir string) *sarif.Report {
	driver := sarif.NewToolComponent().WithName("kubectl-curfew").WithVersion(version.String())
	run := sarif.NewRun().WithTool(sarif.NewTool().WithDriver(driver)).WithColumnKind("unicodeCodePoints")
	for _, rule := range Rules() {
		run.AddRule(rule.ID).
			WithDescription(rule.Summary).
			WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(string(rule.Level)))
	}
	read := r.Objects > 0
	for _, f := range r.Findings {
		read = read && f.Rule != unreadable
		location := sarif.NewPhysicalLocation().WithArtifactLocation(artifact(dir, f.Place.File))
		if f.Place.Line > 0 {
			location.WithRegion(f.region())
		}
		result := run.CreateResultForRule(f.Rule).
			WithLevel(string(f.Level)).
			WithMessage(sarif.NewTextMessage(f.subject() + f.Message + "; " + f.Hint))
		result.AddLocation(f.logical(sarif.NewLocationWithPhysicalLocation(location)))
	}
	run.AddInvocation(sarif.NewInvocation().WithExecutionSuccessful(read))
	report := sarif.NewReport()
	report.AddRun(run)
	return report
}

func (f Finding) region() *sarif.Region {
	region := sarif.NewRegion().WithStartLine(f.Place.Line)
	if f.Place.Column > 0 {
		region.WithStartColumn(f.Place.Column)
	}
	if f.EndColumn > 0 {
		region.WithEndLine(f.Place.Line).WithEndColumn(f.EndColumn)
	}
	return region
}

// logical adds the object that a finding is about.
func (f Finding) logical(location *sarif.Location) *sarif.Location {
	if f.Kind == "" {
		return location
	}
	return location.WithLogicalLocations([]*sarif.LogicalLocation{
		sarif.NewLogicalLocation().WithKind("object").WithName(manifest.Printable(f.Name)).WithFullyQualifiedName(f.object()),
	})
}

// artifact names a file: relative to dir, or by its whole path if it is elsewhere.
func artifact(dir, file string) *sarif.ArtifactLocation {
	relative := file
	if filepath.IsAbs(file) {
		var err error
		if relative, err = filepath.Rel(dir, file); err != nil || !filepath.IsLocal(relative) {
			path := filepath.ToSlash(file)
			if !strings.HasPrefix(path, "/") { // a drive
				path = "/" + path
			}
			return sarif.NewSimpleArtifactLocation((&url.URL{Scheme: "file", Path: path}).String())
		}
	}
	relative = filepath.ToSlash(filepath.Clean(relative))
	// Made of a URL, a colon in the first part of the path does not pass for a scheme.
	return sarif.NewSimpleArtifactLocation((&url.URL{Path: relative}).String()).WithURIBaseID(root)
}
