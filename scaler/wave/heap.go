package wave

import "container/heap"

// order is a heap of entries, each of which knows its place. It implements heap.Interface.
type order[K comparable] struct {
	id   int
	less func(x, y *entry[K]) bool
	list []*entry[K]
}

// first is the first entry, or nil.
func (o *order[K]) first() *entry[K] {
	if len(o.list) == 0 {
		return nil
	}
	return o.list[0]
}

// put makes the order right after an entry has changed: it is in it, or not, and where it belongs.
func (o *order[K]) put(e *entry[K], in bool) {
	switch at := e.spots[o.id]; {
	case at == 0 && in:
		heap.Push(o, e)
	case at > 0 && in:
		heap.Fix(o, at-1)
	case at > 0:
		heap.Remove(o, at-1)
	}
}

// Len, Less, Swap, Push and Pop are what package heap wants.

func (o *order[K]) Len() int           { return len(o.list) }
func (o *order[K]) Less(i, j int) bool { return o.less(o.list[i], o.list[j]) }

func (o *order[K]) Swap(i, j int) {
	o.list[i], o.list[j] = o.list[j], o.list[i]
	o.list[i].spots[o.id], o.list[j].spots[o.id] = i+1, j+1
}

func (o *order[K]) Push(x any) {
	e := x.(*entry[K])
	o.list = append(o.list, e)
	e.spots[o.id] = len(o.list)
}

func (o *order[K]) Pop() any {
	last := len(o.list) - 1
	e := o.list[last]
	o.list[last] = nil
	o.list = o.list[:last]
	e.spots[o.id] = 0
	return e
}
