package override

import "curfew/scaler/annotation"

// verb is one of the commands.
type verb struct {
	name, done string // wake, woken
	key        string // the annotation that it writes
	short      string
	about      string
	examples   string
}

// sets reports whether the command sets an override, and so has an end and a size.
func (v verb) sets() bool { return v == wake || v == sleep || v == hold }

const aboutEnd = `--for takes days, hours, minutes and seconds (2h, 90m, 1d12h), where a day is 24
hours. --until takes a time of day (22:00, or 24:00 for midnight), which is the next
such time; a date (2026-06-05), which is its start; both (2026-06-05T22:00); or a
time with its offset (2026-06-05T22:00:00+02:00). Without an offset, times are local
in the zone of the schedule.`

const aboutDefaultEnd = aboutEnd + ` Without either, it ends at the next change of the
schedule, which then has its say again; if the rules ask for the same already,
nothing is written.`

const aboutTargets = `An object may be of any kind that has a size: deploy/NAME, sts/NAME, cj/NAME and so on.
On a Namespace (ns/NAME) it is the default for what is in it: one of their own is nearer
and wins. A Namespace, all that -l picks, and all of -A, which is everything that Curfew
is concerned with, are listed and asked about first, unless --yes says that it is meant.`

var wake = verb{
	name: "wake", done: "woken", key: annotation.OverrideKey,
	short: "Give workloads their normal size for a while",
	about: `Give Deployments and other workloads their normal size for a while, whatever their rules say.

It sets the annotation curfew/override, which Curfew acts upon at once and until its
end. --replicas gives another size than the normal one. A CronJob or a KEDA ScaledObject has
no other: it is on or off.

` + aboutDefaultEnd + "\n\n" + aboutTargets,
	examples: `  # Until its rules next say something else
  kubectl curfew wake deploy/shop

  # For two hours; until ten in the evening
  kubectl curfew wake deploy/shop deploy/api --for 2h
  kubectl curfew wake deploy/shop --until 22:00

  # With two replicas only
  kubectl curfew wake deploy/shop --for 2h --replicas 2

  # A StatefulSet; a HorizontalPodAutoscaler, with another minimum and maximum
  kubectl curfew wake sts/db --for 2h
  kubectl curfew wake hpa/shop --for 2h --replicas 10..40

  # All there is in a Namespace; all of a team, everywhere
  kubectl curfew wake ns/previews --until 2026-06-08
  kubectl curfew wake -A -l team=shop --for 1d

  # What would happen?
  kubectl curfew wake deploy/shop --for 2h --dry-run=server`,
}

var sleep = verb{
	name: "sleep", done: "put to sleep", key: annotation.OverrideKey,
	short: "Scale workloads to 0 for a while",
	about: `Scale Deployments and other workloads to 0 for a while, whatever their rules say.

It sets the annotation curfew/override, which Curfew acts upon at once and until its
end. Then the rules have their say again; where there are none, the size from before
is given back. --replicas gives another size than 0. A CronJob is suspended, and a
KEDA ScaledObject paused; for a HorizontalPodAutoscaler, put what it scales to sleep.

` + aboutDefaultEnd + "\n\n" + aboutTargets,
	examples: `  # Home early: asleep until the rules next say something else
  kubectl curfew sleep deploy/shop

  # A CronJob
  kubectl curfew sleep cj/report --for 2h

  # Over a holiday
  kubectl curfew sleep deploy/shop --until 2026-06-08T07:00

  # A whole Namespace, without a question
  kubectl curfew sleep ns/previews --for 12h --yes`,
}

var hold = verb{
	name: "hold", done: "held", key: annotation.OverrideKey,
	short: "Hold workloads at the size they have, or another, for a while",
	about: `Hold Deployments and other workloads at the size they have now for a while, whatever their rules say.

It sets the annotation curfew/override. --replicas gives a size, a share of the normal
one such as 50%, or "normal"; on a Namespace it has to be given.

` + aboutEnd + ` One of the two has to be given.

` + aboutTargets,
	examples: `  # As it is, until the load test is over
  kubectl curfew hold deploy/shop --for 3h

  # Five replicas; half of the normal size
  kubectl curfew hold deploy/shop --replicas 5 --until 22:00
  kubectl curfew hold ns/previews --replicas 50% --for 1d`,
}

var resume = verb{
	name: "resume", done: "resumed", key: annotation.OverrideKey,
	short: "End an override: the rules have their say again",
	about: `End an override: remove the annotation curfew/override that "wake", "sleep" or "hold"
has set, so that the rules have their say again.

An override of the Namespace is not ended for one object; it goes on, and you are
told so.

` + aboutTargets,
	examples: `  kubectl curfew resume deploy/shop
  kubectl curfew resume ns/previews
  kubectl curfew resume -A --yes`,
}

var pause = verb{
	name: "pause", done: "paused", key: annotation.Paused,
	short: "Have Curfew touch nothing until it is unpaused",
	about: `Have Curfew look, report and touch nothing: neither rules nor overrides count until
"unpause". It sets the annotation curfew/paused to "true".

` + aboutTargets,
	examples: `  kubectl curfew pause deploy/shop
  kubectl curfew pause ns/previews --yes`,
}

var unpause = verb{
	name: "unpause", done: "unpaused", key: annotation.Paused,
	short: "End a pause: Curfew goes to what is right by then",
	about: `End a pause: Curfew goes to what is right by then. It removes the annotation
curfew/paused.

Where an object's Namespace is paused, it sets "false" on the object, which is
nearer and wins: that one is unpaused and the others are not.

` + aboutTargets,
	examples: `  kubectl curfew unpause deploy/shop
  kubectl curfew unpause ns/previews --yes`,
}

// verbs lists the commands.
func verbs() []verb { return []verb{wake, sleep, hold, resume, pause, unpause} }
