package kubegreen

import (
	"errors"
	"fmt"
	"slices"

	"curfew/cmd/kubectl-curfew/imports/translate"
	"curfew/timewindow"
)

// together is what one or more SleepInfos make of one Deployment.
func together(infos []info) ([]string, error) {
	if len(infos) == 1 {
		return translate.Rules([]translate.Edge{
			{At: infos[0].sleep, Size: timewindow.Replicas(0), Says: "spec.sleepAt"},
			{At: infos[0].wake, Size: timewindow.Normal, Says: "spec.wakeUpAt"},
		})
	}
	names := make([]string, 0, len(infos))
	for _, i := range infos {
		names = append(names, i.object.Name())
	}
	fail := func(why string) ([]string, error) {
		return nil, fmt.Errorf("%s put the same Deployments to sleep, and %s; make one SleepInfo of them, or write the rules by hand", translate.Join(names), why)
	}
	for _, i := range infos[1:] {
		if i.zone.String() != infos[0].zone.String() {
			return fail("they are read in different zones")
		}
	}
	events, err := eventsOf(infos)
	if err != nil {
		return fail(err.Error())
	}
	// Whoever is installed when: what it comes to has to be the same.
	var week *translate.Week
	for start := range events {
		came, settled := settle(events, start, len(infos))
		if !settled || week != nil && *came != *week {
			return fail("what that comes to depends on when they were made")
		}
		week = came
	}
	if !slices.Contains(week[:], timewindow.Normal) {
		return fail("nothing ever wakes them again")
	}
	return translate.ShortRules(week)
}

// event is one time of one SleepInfo.
type event struct {
	minute, info int
	wake         bool
}

const mostEvents = 200 // a week; SleepInfos with more are no schedules

func eventsOf(infos []info) ([]event, error) {
	var events []event
	for n, i := range infos {
		for _, m := range i.sleep.Occurrences() {
			events = append(events, event{m, n, false})
		}
		for _, m := range i.wake.Occurrences() {
			events = append(events, event{m, n, true})
		}
	}
	if len(events) > mostEvents {
		return nil, fmt.Errorf("they do so %d times a week", len(events))
	}
	slices.SortFunc(events, func(a, b event) int { return a.minute - b.minute })
	for n := range events[1:] {
		if events[n].minute == events[n+1].minute {
			return nil, errors.New("at the same minute, where it is chance which comes first")
		}
	}
	return events, nil
}

// settle follows a Deployment from an event on until the weeks are alike, as each SleepInfo goes by turns: it goes to
// sleep, noting the size it finds unless that is 0 already, and then wakes, giving back what it noted.
func settle(events []event, start, infos int) (*translate.Week, bool) {
	asleep, noted := make([]bool, infos), make([]bool, infos)
	up := true
	week, before := &translate.Week{}, &translate.Week{}
	for n := range 5 * len(events) {
		e := events[(start+n)%len(events)]
		switch {
		case !e.wake && !asleep[e.info]:
			asleep[e.info], noted[e.info] = true, up
			up = false
		case e.wake && asleep[e.info]:
			up = up || noted[e.info]
			asleep[e.info], noted[e.info] = false, false
		}
		if n == 4*len(events)-1 {
			*before = *week
		}
		next := events[(start+n+1)%len(events)].minute
		for m, first := e.minute, true; first || m != next; m, first = (m+1)%len(week), false {
			week[m] = timewindow.Replicas(0)
			if up {
				week[m] = timewindow.Normal
			}
		}
	}
	return week, *before == *week
}
