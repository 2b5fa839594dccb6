package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"golang.org/x/time/rate"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/cache"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
)

// How long what the API server has said about a token is believed, how many tokens are remembered, and how long it may
// take to answer.
const (
	allowedFor   = time.Minute
	refusedFor   = 10 * time.Second
	mostTokens   = 1024
	reviewWithin = 5 * time.Second
)

// guard lets those pass whom the API server allows to get a path: it has a bearer token reviewed, and then the access of
// whom it belongs to. The API server's own library for that more than doubles the binary.
type guard struct {
	client   kubernetes.Interface
	path     string
	answers  *cache.LRUExpireCache // by the hash of a token
	failures rate.Sometimes        // to be logged
}

// newGuard makes a guard that asks through a client of its own, so that a flood of tokens never delays a boundary.
func newGuard(config *rest.Config, path string) (*guard, error) {
	config = rest.AddUserAgent(rest.CopyConfig(config), "metrics")
	config.QPS, config.Burst = 5, 10
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return &guard{client: client, path: path, answers: cache.NewLRUExpireCache(mostTokens), failures: rate.Sometimes{Interval: time.Minute}}, nil
}

// protect answers only those who may get the path.
func (g *guard) protect(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if token = strings.TrimSpace(token); !strings.EqualFold(kind, "Bearer") || token == "" {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "a bearer token is needed", http.StatusUnauthorized)
			return
		}
		switch status, err := g.ask(r.Context(), token); {
		case r.Context().Err() != nil: // whoever asked has gone
		case err != nil:
			g.failures.Do(func() { klog.FromContext(r.Context()).Error(err, "Cannot tell who may read the metrics; "+reviewCure) })
			http.Error(w, "cannot tell whether you may; Curfew's log says why", http.StatusServiceUnavailable)
		case status == http.StatusUnauthorized:
			w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token"`)
			http.Error(w, "the API server does not know this token", status)
		case status == http.StatusForbidden:
			http.Error(w, "you may not get "+g.path+": that takes a ClusterRole with this nonResourceURL", status)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// ask returns the status for a token: 200, 401 or 403. Failures are not remembered.
func (g *guard) ask(ctx context.Context, token string) (int, error) {
	key := sha256.Sum256([]byte(token))
	if status, ok := g.answers.Get(key); ok {
		return status.(int), nil
	}
	ctx, cancel := context.WithTimeout(ctx, reviewWithin)
	defer cancel()
	status, err := g.review(ctx, token)
	switch {
	case err != nil:
		return 0, err
	case status == http.StatusOK:
		g.answers.Add(key, status, allowedFor)
	default:
		g.answers.Add(key, status, refusedFor)
	}
	return status, nil
}

func (g *guard) review(ctx context.Context, token string) (int, error) {
	who, err := g.client.AuthenticationV1().TokenReviews().Create(ctx,
		&authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token}}, metav1.CreateOptions{})
	if err != nil {
		return 0, fmt.Errorf("reviewing a token: %w", err)
	}
	if !who.Status.Authenticated {
		return http.StatusUnauthorized, nil
	}
	user := who.Status.User
	extra := make(map[string]authorizationv1.ExtraValue, len(user.Extra))
	for name, values := range user.Extra {
		extra[name] = authorizationv1.ExtraValue(values)
	}
	access, err := g.client.AuthorizationV1().SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{
		Spec: authorizationv1.SubjectAccessReviewSpec{
			User: user.Username, UID: user.UID, Groups: user.Groups, Extra: extra,
			NonResourceAttributes: &authorizationv1.NonResourceAttributes{Path: g.path, Verb: "get"},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		return 0, fmt.Errorf("reviewing the access of %s: %w", user.Username, err)
	}
	if !access.Status.Allowed {
		return http.StatusForbidden, nil
	}
	return http.StatusOK, nil
}

// reviewCure is what to do where the right to ask is missing.
const reviewCure = "bind Curfew's service account to the ClusterRole system:auth-delegator, see docs/metrics.md"

// check says at once what would fail at the first scrape: that the right to ask is missing.
func (g *guard) check(ctx context.Context) error {
	for resource, group := range map[string]string{"tokenreviews": "authentication.k8s.io", "subjectaccessreviews": "authorization.k8s.io"} {
		if ok, err := may(ctx, g.client, "create", "", group, resource); err != nil {
			return err
		} else if !ok {
			return errors.New("there is no right to create " + resource + "." + group)
		}
	}
	return nil
}
