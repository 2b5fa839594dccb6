package harness

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"curfew/e2e/build"
)

// Clock is the wall clock of a program that build.FakedClock has built.
type Clock struct {
	// Program runs the program with this clock.
	Program string

	file *os.File
}

// NewClock makes a clock that is ahead of the real one by so much, with its files
// in a folder.
func NewClock(dir, program string, ahead time.Duration) (*Clock, error) {
	file, err := os.Create(filepath.Join(dir, "ahead"))
	if err != nil {
		return nil, err
	}
	c := &Clock{Program: filepath.Join(dir, "with-this-clock"), file: file}
	script := fmt.Sprintf("#!/bin/sh\n%s='%s' exec '%s' \"$@\"\n", build.ClockVariable, file.Name(), program)
	if err := os.WriteFile(c.Program, []byte(script), 0o755); err != nil {
		return nil, err
	}
	return c, c.Set(ahead)
}

// Set sets the clock, in whole seconds, while the program runs.
func (c *Clock) Set(ahead time.Duration) error {
	var seconds [8]byte
	binary.NativeEndian.PutUint64(seconds[:], uint64(int64(ahead/time.Second)))
	_, err := c.file.WriteAt(seconds[:], 0)
	return err
}
