package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"curfew/e2e/cluster"
	"curfew/e2e/harness"
)

// limit is how long anything may take that the story says will happen.
const limit = 30 * time.Second

const manifest = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop
  annotations:
    curfew/windows: "%s"
    curfew/replicas: "3"
spec:
  selector:
    matchLabels: {app: shop}
  template:
    metadata:
      labels: {app: shop}
    spec:
      containers:
      - name: shop
        image: registry.k8s.io/pause:3.10
`

// tell is the story. It fails at the first thing that does not happen as told.
func tell(ctx context.Context, s *stage) error {
	s.say("Curfew runs, as the ServiceAccount and with the rights of deploy/.")
	night := harness.WindowIn(8*time.Second, 12*time.Second)
	file := filepath.Join(s.files, "shop.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, manifest, night.Rule("0")), 0o600); err != nil {
		return err
	}
	s.command("kubectl apply -f shop.yaml")
	s.quote("annotations:\n  curfew/windows: \"" + night.Rule("0") + "\"\n  curfew/replicas: \"3\"")
	applied := time.Now()
	if _, err := s.quietly(ctx, "apply", "-f", file); err != nil {
		return err
	}
	if _, err := s.awaitSize(ctx, 3, applied); err != nil {
		return err
	}
	s.did("Curfew holds it at its normal size: 3.")
	if err := s.awaitPods(ctx, 3); err != nil {
		return err
	}
	s.say("The shop is open: 3 pods. The night begins at %s.", night.Start.Format(time.TimeOnly))

	write, err := s.awaitSize(ctx, 0, night.Start)
	if err != nil {
		return err
	}
	s.did("The window opens: 3 → 0, %s after its moment.", since(night.Start, write))
	if err := s.awaitPods(ctx, 0); err != nil {
		return err
	}
	s.say("No pod is left. Now somebody turns up the lights:")

	switchedOn := time.Now()
	if err := s.kubectl(ctx, "scale", "deployment/shop", "--replicas=5"); err != nil {
		return err
	}
	scale, err := s.await(ctx, "the scale by hand", cluster.By(cluster.Admin), cluster.Since(switchedOn), func(r cluster.Request) bool { return r.Subresource == "scale" })
	if err != nil {
		return err
	}
	if write, err = s.awaitSize(ctx, 0, scale.Received); err != nil {
		return err
	}
	s.did("Put back: 5 → 0, %s after it.", since(scale.Received, write))
	if time.Now().After(night.End) {
		return fmt.Errorf("this machine is so slow that the night was over before the lights were out")
	}
	s.say("The night lasts until %s.", night.End.Format(time.TimeOnly))

	if write, err = s.awaitSize(ctx, 3, night.End); err != nil {
		return err
	}
	s.did("The window closes: 0 → 3, %s after its moment.", since(night.End, write))
	if err := s.awaitPods(ctx, 3); err != nil {
		return err
	}
	s.say("The shop is open again: 3 pods. What Curfew says about it:")
	return s.epilogue(ctx)
}

// epilogue shows what is left to see, with the commands that anybody would use.
func (s *stage) epilogue(ctx context.Context) error {
	for _, reason := range []string{"WindowStarted", "DriftCorrected", "WindowEnded"} {
		if err := s.awaitEvent(ctx, reason); err != nil {
			return err
		}
	}
	for _, arguments := range [][]string{
		{"get", "events", "--field-selector=reportingComponent=curfew", "--sort-by=.metadata.creationTimestamp",
			"-o=custom-columns=TYPE:.type,REASON:.reason,MESSAGE:.message"},
		{"get", "deployment/shop"},
		{"get", "deployment/shop", `-o=jsonpath={.metadata.annotations.curfew/status}`},
	} {
		if err := s.kubectl(ctx, arguments...); err != nil {
			return err
		}
	}
	return s.countWrites(ctx)
}

func since(moment time.Time, write cluster.Request) string {
	return write.Done.Sub(moment).Round(time.Millisecond).String()
}

// awaitPods waits until so many pods are ready, and no other is there.
func (s *stage) awaitPods(ctx context.Context, pods int32) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("that did not happen within %v", limit))
	defer cancel()
	_, err := s.cluster.AwaitDeployment(ctx, "default", "shop", fmt.Sprintf("%d ready pods", pods), func(d *appsv1.Deployment) bool {
		return d.Status.ObservedGeneration == d.Generation && d.Status.Replicas == pods && d.Status.AvailableReplicas == pods
	})
	return err
}
