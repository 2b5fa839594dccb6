package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// narrator writes what happens, each with the time of day. It uses colour on a
// terminal alone, and not if NO_COLOR is set.
type narrator struct {
	output io.Writer
	colour bool
}

func newNarrator(output *os.File) *narrator {
	return &narrator{
		output: output,
		colour: term.IsTerminal(int(output.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb",
	}
}

// say tells what is so, or what comes next.
func (n *narrator) say(format string, arguments ...any) {
	n.line(fmt.Sprintf(format, arguments...))
}

// did tells what Curfew has done.
func (n *narrator) did(format string, arguments ...any) {
	n.line(n.paint("1;32", fmt.Sprintf(format, arguments...)))
}

// command shows a command as one would type it.
func (n *narrator) command(words string) {
	n.line(n.paint("36", "$ "+words))
}

// quote shows what a program wrote, moved in.
func (n *narrator) quote(text string) {
	for line := range strings.Lines(strings.TrimRight(text, "\n")) {
		fmt.Fprintf(n.output, "            %s\n", strings.TrimRight(line, "\n"))
	}
}

func (n *narrator) line(text string) {
	// The times that matter are Curfew's, so they are in UTC like its rules here.
	fmt.Fprintf(n.output, "%s  %s\n", n.paint("2", time.Now().UTC().Format("15:04:05.0")), text)
}

func (n *narrator) bad(text string) string { return n.paint("31", text) }

func (n *narrator) paint(code, text string) string {
	if !n.colour {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
