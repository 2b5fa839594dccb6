package timeline

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes"

	"curfew/cmd/kubectl-curfew/live"
)

// How often the API server is asked whether it is there, and how long it may take.
const (
	pulse    = 5 * time.Second
	patience = 4 * time.Second
)

// feel asks the API server whether it is there until the context ends, and says so on the board. A watch would tell of a
// change, but not of having lost its server: it tries again in silence.
func feel(ctx context.Context, client kubernetes.Interface, b *board) {
	every := time.NewTicker(pulse)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
		err := client.Discovery().RESTClient().Get().AbsPath("/version").Timeout(patience).Do(ctx).Error()
		switch {
		case ctx.Err() != nil:
			return
		case err == nil || apierrors.IsForbidden(err) || apierrors.IsNotFound(err): // it is there
			b.warn("")
		default:
			b.warn(live.Explain(err).Error())
		}
	}
}
