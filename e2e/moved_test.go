package e2e_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"curfew/e2e/harness"
)

// share is that of an object in a spread, worked out as docs/waking.md says.
func share(d *appsv1.Deployment, spread time.Duration) time.Duration {
	sum := sha256.Sum256([]byte(d.UID))
	part := new(big.Int).Mul(new(big.Int).SetUint64(binary.BigEndian.Uint64(sum[:8])), big.NewInt(int64(spread/time.Second)))
	return time.Duration(part.Rsh(part, 64).Int64()) * time.Second
}

// TestMovedBoundaries: two Deployments of equal rules, in a Namespace with a spread and a lead, act once each at every
// boundary, at moments of their own that plan knows beforehand.
func TestMovedBoundaries(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	const spread, lead = 6 * time.Second, 2 * time.Second
	s.annotateNamespace(s.namespace, map[string]*string{harness.Spread: value(spread.String()), harness.Lead: value(lead.String())})

	// Shares come from UIDs, and are to differ.
	web := s.create("web", 3, nil)
	var cart *appsv1.Deployment
	for {
		cart = s.create("cart", 3, nil)
		if apart := share(cart, spread) - share(web, spread); apart.Abs() >= 2*time.Second {
			break
		}
		s.must(s.deployments().Delete(s.ctx, "cart", metav1.DeleteOptions{}))
	}

	window := harness.WindowIn(4*time.Second, 5*time.Second)
	for _, d := range []*appsv1.Deployment{web, cart} {
		s.annotate(d.Name, annotations{harness.Windows: window.Rule("0")})
	}
	type plan struct {
		Items []struct {
			Lead, Spread, Shift string
			Changes             []struct {
				At   time.Time
				Size string
			}
		}
	}
	for _, d := range []*appsv1.Deployment{web, cart} {
		sleeps, wakes := window.Start.Add(share(d, spread)), window.End.Add(share(d, spread)-lead)
		var p plan
		from := window.Start.Add(-time.Minute)
		s.must(json.Unmarshal([]byte(s.mustCurfew("", "plan", "deploy/"+d.Name, "-o", "json",
			"--from", from.Format(time.RFC3339), "--to", from.Add(2*time.Minute).Format(time.RFC3339)).stdout), &p))
		got, want := fmt.Sprint(p.Items), fmt.Sprintf("[{2s 6s %v [{%v 0} {%v normal}]}]", share(d, spread), sleeps, wakes)
		if got != want {
			t.Errorf("%s is planned as\n%s, want\n%s", d.Name, got, want)
		}
		if explained := s.mustCurfew("", "explain", "deploy/"+d.Name).stdout; !strings.Contains(explained, "curfew/spread of the Namespace") {
			t.Errorf("%s is not explained by the spread:\n%s", d.Name, explained)
		}
	}
	s.awaitWrites("web", 3)
	s.awaitWrites("cart", 3)
	s.settle()
	for _, d := range []*appsv1.Deployment{web, cart} {
		sleeps, wakes := window.Start.Add(share(d, spread)), window.End.Add(share(d, spread)-lead)
		writes := s.curfewDid(d.Name, adopted, at(sleeps, 0), at(wakes, 3))
		for i, until := range []time.Time{sleeps, wakes} {
			if said := writes[i].Status().Until; said != until.Format(time.RFC3339) {
				t.Errorf("%s: write %d says until %s, want %v", d.Name, i+1, said, until)
			}
		}
		s.untouched(d)
	}
}
