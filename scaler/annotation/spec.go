package annotation

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"curfew/timewindow"
)

// Spec is what an object's annotations ask for.
type Spec struct {
	Schedule   *timewindow.Schedule // nil when there are no rules or the object opted out
	OptedOut   bool                 // the rules are "none"
	Zone       *time.Location       // the zone of rules that name none; never nil
	Replicas   *int32               // the normal size as given
	Remembered *int32               // the normal size as Curfew found it
}

// Parse reads an object's annotations. Rules that name no zone, on an object that names none, are read in zone; nil
// means UTC. If there are problems, the Spec holds what could be read but must not be acted on.
func Parse(annotations map[string]string, zone *time.Location) (Spec, Problems) {
	if zone == nil {
		zone = time.UTC
	}
	spec := Spec{Zone: zone}
	problems := unknown(annotations)
	report := func(key string, err error) {
		if err != nil {
			problems = append(problems, Problem{key, err.Error()})
		}
	}
	if name, ok := annotations[Timezone]; ok {
		named, err := timewindow.LoadZone(strings.TrimSpace(name))
		report(Timezone, err)
		if err == nil {
			spec.Zone = named
		}
	}
	if text, ok := annotations[Windows]; ok {
		if IsOptOut(text) {
			spec.OptedOut = true
		} else {
			schedule, err := timewindow.Parse(text, spec.Zone)
			if faults := (timewindow.Faults)(nil); errors.As(err, &faults) {
				for _, f := range faults {
					report(Windows, f)
				}
			}
			spec.Schedule = schedule
		}
	}
	var err error
	spec.Replicas, err = count(annotations, Replicas, "write the normal number of replicas, such as \"3\"")
	report(Replicas, err)
	spec.Remembered, err = count(annotations, Remembered, "write the number of replicas to give back, or remove the annotation")
	report(Remembered, err)
	return spec, problems
}

// IsOptOut reports whether the value of [Windows] opts the object out.
func IsOptOut(windows string) bool { return strings.EqualFold(strings.TrimSpace(windows), OptOut) }

// count reads a number of replicas; nil if the annotation is absent.
func count(annotations map[string]string, key, cure string) (*int32, error) {
	text, ok := annotations[key]
	if !ok {
		return nil, nil
	}
	n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 31)
	if err != nil || n > timewindow.MaxReplicas {
		return nil, fmt.Errorf("%q is not a number from 0 to %d; %s", short(text), timewindow.MaxReplicas, cure)
	}
	size := int32(n)
	return &size, nil
}

func short(text string) string {
	if len(text) > 60 {
		return strings.ToValidUTF8(text[:60], "") + "…"
	}
	return text
}
