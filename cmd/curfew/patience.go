package main

import (
	"context"
	"errors"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"
)

// How long a question that must be answered before anything else may take, and how soon it is asked again.
const (
	askWithin = 10 * time.Second
	askAgain  = 2 * time.Second
)

// patiently asks the API server until it answers. A process that ended instead would be started again more and more
// seldom, and in the end lie still for minutes after the API server has come back.
func patiently(ctx context.Context, ask func(context.Context) error) error {
	logger := klog.FromContext(ctx)
	var said string
	err := wait.PollUntilContextCancel(ctx, askAgain, true, func(ctx context.Context) (bool, error) {
		within, cancel := context.WithTimeout(ctx, askWithin)
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
	if !errors.As(err, &status) {
		return true
	}
	code := status.Status().Code
	return code == http.StatusTooManyRequests || code >= http.StatusInternalServerError
}
