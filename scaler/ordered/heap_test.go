package ordered

import (
	"math/rand/v2"
	"slices"
	"testing"
)

type item struct{ worth, place int }

// TestHeap: whatever is put in, moved and taken out, the first is the first, and each item knows whether it is in.
func TestHeap(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	h := New(func(x, y *item) bool { return x.worth < y.worth }, func(i *item) *int { return &i.place })
	all := make([]*item, 50)
	for i := range all {
		all[i] = &item{}
	}
	in := map[*item]bool{}
	for step := range 20_000 {
		i := all[random.IntN(len(all))]
		switch random.IntN(4) {
		case 0, 1:
			i.worth = random.IntN(1000)
			h.Put(i)
			in[i] = true
		case 2:
			h.Remove(i)
			delete(in, i)
		default:
			if h.Len() > 0 {
				first := h.First()
				if got := h.Pop(); got != first {
					t.Fatalf("step %d: %v came out, %v was first", step, got, first)
				}
				delete(in, first)
			}
		}
		if h.Len() != len(in) {
			t.Fatalf("step %d: %d are in, want %d", step, h.Len(), len(in))
		}
		least := slices.MinFunc(all, func(x, y *item) int {
			if in[x] != in[y] {
				if in[x] {
					return -1
				}
				return 1
			}
			return x.worth - y.worth
		})
		if len(in) > 0 && h.First().worth != least.worth {
			t.Fatalf("step %d: %d is first, not %d", step, h.First().worth, least.worth)
		}
		for _, i := range all {
			if (i.place > 0) != in[i] {
				t.Fatalf("step %d: an item is in: %v, and thinks it is at %d", step, in[i], i.place)
			}
		}
	}
}
