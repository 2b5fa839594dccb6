package main

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/klog/v2/ktesting"
)

func TestPatiently(t *testing.T) {
	for name, c := range map[string]struct {
		err   error // while the API server is in trouble, for ten minutes
		waits bool
	}{
		"cannot be reached":   {io.EOF, true},
		"does not answer":     {context.DeadlineExceeded, true},
		"is busy":             {apierrors.NewTooManyRequests("busy", 1), true},
		"has a mishap":        {apierrors.NewInternalError(io.EOF), true},
		"is not there":        {apierrors.NewServiceUnavailable("later"), true},
		"was cut off":         {apierrors.NewServerTimeout(schema.GroupResource{}, "create", 1), true},
		"does not know us":    {apierrors.NewUnauthorized("who?"), false},
		"does not let us ask": {apierrors.NewForbidden(schema.GroupResource{}, "", io.EOF), false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, ctx := ktesting.NewTestContext(t)
				begun := time.Now()
				err := patiently(ctx, func(context.Context) error {
					if time.Since(begun) < 10*time.Minute {
						return c.err
					}
					return nil
				})
				took := time.Since(begun)
				if c.waits && (err != nil || took > 10*time.Minute+askAgain) || !c.waits && (!errors.Is(err, c.err) || took > 0) {
					t.Errorf("after %v: %v", took, err)
				}
			})
		})
	}
}

func TestPatienceHasAnEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, ctx := ktesting.NewTestContext(t)
		ctx, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		asked := 0
		begun := time.Now()
		err := patiently(ctx, func(ctx context.Context) error {
			asked++
			<-ctx.Done() // as an API server that hangs
			return ctx.Err()
		})
		if err == nil || time.Since(begun) != time.Minute || asked < 5 {
			t.Errorf("after %v and %d questions: %v", time.Since(begun), asked, err)
		}
	})
}
