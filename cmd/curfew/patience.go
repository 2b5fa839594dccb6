package main

import (
	"context"
	"errors"
	"net/http"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"

	"curfew/cmd/internal/kinds"
)

// How long a question that must be answered before anything else may take, and how soon it is asked again.
const (
	answerWithin = 10 * time.Second
	answerAgain  = 2 * time.Second
)

// patiently asks the API server until it answers. A process that ended instead would be started again more and more
// seldom, and in the end lie still for minutes after the API server has come back.
func patiently(ctx context.Context, ask func(context.Context) error) error {
	logger := klog.FromContext(ctx)
	var said string
	err := wait.PollUntilContextCancel(ctx, answerAgain, true, func(ctx context.Context) (bool, error) {
		within, cancel := context.WithTimeout(ctx, answerWithin)
		defer cancel()
		err := ask(within)
		if err == nil || !maySoonPass(err) || ctx.Err() != nil {
			return true, err
		}
		if text := err.Error(); text != said {
			logger.Error(err, "The API server does not answer, waiting for it")
			said = text
		}
		return false, nil
	})
	if err == nil && said != "" {
		logger.Info("The API server answers")
	}
	return err
}

// maySoonPass tells an API server that cannot be reached, or that has trouble of its own, from one that says no.
func maySoonPass(err error) bool {
	var status apierrors.APIStatus
	if errors.As(err, new(kinds.Unusable)) {
		return false
	}
	if !errors.As(err, &status) {
		return true
	}
	code := status.Status().Code
	return code == http.StatusTooManyRequests || code >= http.StatusInternalServerError
}

// doubtFor is how long a doubtful refusal is not believed.
const doubtFor = 10 * time.Second

// doubt is about an API server that has just started and has not read all of its roles yet.
type doubt struct{ since time.Time }

// about returns the error to go on with after a question for a right. Everybody may ask what they may, so that this is
// forbidden is as doubtful as a refusal for which not everything could be looked at.
func (d *doubt) about(answer *authorizationv1.SelfSubjectAccessReview, err error) error {
	var doubtful error
	switch {
	case apierrors.IsForbidden(err):
		doubtful = errors.New(err.Error()) // no longer a refusal, but something that may pass
	case err == nil && !answer.Status.Allowed && answer.Status.EvaluationError != "":
		doubtful = errors.New(answer.Status.EvaluationError)
	default:
		return err
	}
	if d.since.IsZero() {
		d.since = time.Now()
	}
	if time.Since(d.since) < doubtFor {
		return doubtful
	}
	return err
}
