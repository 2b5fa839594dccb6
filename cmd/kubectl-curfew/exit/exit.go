// Package exit carries the exit code of a command with its error.
package exit

import "errors"

// Failed is the exit code of an error that names none.
const Failed = 1

// coded is an error with an exit code of its own.
type coded struct {
	error
	code int
}

func (c coded) Unwrap() error { return c.error }

// With returns err with an exit code; nil if err is nil.
func With(code int, err error) error {
	if err == nil {
		return nil
	}
	return coded{err, code}
}

// Silently returns an error that is not printed, for a command that has said all there is to say.
func Silently(code int) error { return coded{errSilent, code} }

var errSilent = errors.New("see above")

// Cause is the error without its exit code; nil if there is nothing to print.
func Cause(err error) error {
	c, ok := err.(coded) //nolint:errorlint // only what With itself has made
	switch {
	case !ok:
		return err
	case c.error == errSilent: //nolint:errorlint // it is never wrapped
		return nil
	}
	return c.error
}

// Code is the exit code for an error: 0 for nil, and [Failed] where it names none.
func Code(err error) int {
	var c coded
	switch {
	case err == nil:
		return 0
	case errors.As(err, &c):
		return c.code
	}
	return Failed
}
