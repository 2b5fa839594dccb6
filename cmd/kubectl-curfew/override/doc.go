// Package override holds the commands that set aside what rules say for a while: "wake", "sleep", "hold" and "resume"
// write the annotation curfew/override, "pause" and "unpause" curfew/paused.
package override
