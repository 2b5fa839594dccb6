package main

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
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
				if c.waits && (err != nil || took > 10*time.Minute+answerAgain) || !c.waits && (!errors.Is(err, c.err) || took > 0) {
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

func TestDoubtfulRefusals(t *testing.T) {
	const ready = 3 * time.Second // the API server knows its roles
	forbidden := apierrors.NewForbidden(authorizationv1.Resource("selfsubjectaccessreviews"), "", io.EOF)
	dangling := authorizationv1.SubjectAccessReviewStatus{EvaluationError: "role not found"}
	granted := authorizationv1.SubjectAccessReviewStatus{Allowed: true}
	for name, c := range map[string]struct {
		before, after authorizationv1.SubjectAccessReviewStatus
		err, lastErr  error
		want          bool
		takes         time.Duration
	}{
		"allowed":                     {granted, granted, nil, nil, true, 0},
		"refused":                     {authorizationv1.SubjectAccessReviewStatus{}, granted, nil, nil, false, 0},
		"allowed in spite of a doubt": {authorizationv1.SubjectAccessReviewStatus{Allowed: true, EvaluationError: "x"}, granted, nil, nil, true, 0},
		"a role is not there yet":     {dangling, granted, nil, nil, true, 2 * answerAgain},
		"a role will never be there":  {dangling, dangling, nil, nil, false, doubtFor},
		"nobody may ask yet":          {granted, granted, forbidden, nil, true, 2 * answerAgain},
		"nobody may ever ask":         {granted, granted, forbidden, forbidden, false, doubtFor},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, ctx := ktesting.NewTestContext(t)
				client := fake.NewClientset()
				begun := time.Now()
				client.PrependReactor("create", "selfsubjectaccessreviews", func(clienttesting.Action) (bool, runtime.Object, error) {
					status, err := c.before, c.err
					if time.Since(begun) >= ready {
						status, err = c.after, c.lastErr
					}
					return true, &authorizationv1.SelfSubjectAccessReview{Status: status}, err
				})
				got, err := may(ctx, client, "list", "", "", "namespaces")
				if got != c.want || !errors.Is(err, c.lastErr) || time.Since(begun) != c.takes {
					t.Errorf("after %v: %v, %v", time.Since(begun), got, err)
				}
			})
		})
	}
}
