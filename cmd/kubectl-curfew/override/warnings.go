package override

import (
	"fmt"
	"time"

	"curfew/cmd/kubectl-curfew/live"
	"curfew/cmd/kubectl-curfew/manifest"
	"curfew/scaler/annotation"
	"curfew/scaler/decide"
)

// unheard is how old an object is that Curfew must have seen.
const unheard = time.Minute

// warnings says why an object will not be as asked, and what to do about it.
func (f foretold) warnings(was live.Subject) []string {
	var all []string
	warn := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	o, first := f.subject.Object, f.spans[0]
	_, own := o.Annotations[annotation.Paused]
	whose := namespaceArg(o.Namespace)
	switch leader := f.subject.Leader; {
	case own:
		whose = f.edit.arg()
	case leader != nil && leader.Annotations[annotation.Paused] != "":
		whose = f.leader()
	}
	override := f.edit.wanted() != nil
	switch {
	case first.State == annotation.StatePaused && override:
		warn("an override does not count while Curfew is paused here; kubectl curfew unpause %s", whose)
	case first.State == annotation.StatePaused && f.verb == unpause:
		warn("it is still paused; kubectl curfew unpause %s", whose)
	case first.State == annotation.StateInvalid:
		warn("Curfew leaves it as it stands until this is mended: %s", first.Message)
	case first.Message != "" && first.State != annotation.StateWaiting:
		warn("%s", first.Message)
	case f.verb == wake && f.counts && first.Size == 0:
		warn("%s", f.nothingToWake())
	case f.verb == resume && first.State == annotation.StateOverride && f.led(first.From):
		warn("the override of what it scales goes on; kubectl curfew resume %s ends it, for both", f.leader())
	case f.verb == resume && first.State == annotation.StateOverride:
		warn("the override of its Namespace goes on; kubectl curfew resume %s ends it, for all in it", namespaceArg(o.Namespace))
	}
	if status := was.Workload.Status; status.State == annotation.StateContested {
		warn("its size is contested: %s", manifest.Printable(status.Message))
	}
	now := first.From
	if _, said := o.Annotations[annotation.StatusKey]; !said && override && now.Sub(o.CreationTimestamp.Time) > unheard &&
		decide.Decide(was.Workload, now).Status.State != "" {
		warn("Curfew has never said a word about it (it has no %s); does Curfew run, and look after the namespace %s?", annotation.StatusKey, o.Namespace)
	}
	return all
}

// leader is what an object does as, as a person would type it.
func (f foretold) leader() string {
	leader := f.subject.Leader
	return live.Object{Object: leader}.Arg() + " -n " + leader.Namespace
}

// nothingToWake says why an object stays asleep that is woken.
func (f foretold) nothingToWake() string {
	if live.IsSwitch(f.subject.Object.Kind) {
		return "it is suspended when no rule holds, so there is nothing to wake; that is for its owner to change"
	}
	return "its normal size is 0, so there is nothing to wake; say with --replicas how many"
}
