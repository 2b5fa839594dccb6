// Package ordered keeps items in an order in which each may move.
package ordered

import "container/heap"

// Heap gives out the first of its items. Each item notes where it is, so that it can be moved and taken out.
type Heap[T any] struct{ items items[T] }

// New makes an empty heap. before is the order. place is where an item notes its place in this heap; it is 0 while the
// item is not in it.
func New[T any](before func(x, y T) bool, place func(T) *int) Heap[T] {
	return Heap[T]{items[T]{before: before, place: place}}
}

// Len is how many items there are.
func (h *Heap[T]) Len() int { return len(h.items.list) }

// First is the first item; the zero T if there is none.
func (h *Heap[T]) First() (first T) {
	if h.Len() > 0 {
		first = h.items.list[0]
	}
	return first
}

// Put adds an item, or moves one that is there to where it belongs now.
func (h *Heap[T]) Put(item T) {
	if at := *h.items.place(item); at > 0 {
		heap.Fix(&h.items, at-1)
	} else {
		heap.Push(&h.items, item)
	}
}

// Remove takes an item out, if it is in.
func (h *Heap[T]) Remove(item T) {
	if at := *h.items.place(item); at > 0 {
		heap.Remove(&h.items, at-1)
	}
}

// Pop takes the first item out. There must be one.
func (h *Heap[T]) Pop() T { return heap.Pop(&h.items).(T) }

// items implements heap.Interface.
type items[T any] struct {
	before func(x, y T) bool
	place  func(T) *int // from 1
	list   []T
}

func (s *items[T]) Len() int           { return len(s.list) }
func (s *items[T]) Less(i, j int) bool { return s.before(s.list[i], s.list[j]) }

func (s *items[T]) Swap(i, j int) {
	s.list[i], s.list[j] = s.list[j], s.list[i]
	*s.place(s.list[i]), *s.place(s.list[j]) = i+1, j+1
}

func (s *items[T]) Push(x any) {
	item := x.(T)
	s.list = append(s.list, item)
	*s.place(item) = len(s.list)
}

func (s *items[T]) Pop() any {
	last := len(s.list) - 1
	item := s.list[last]
	clear(s.list[last:]) // or it would not be garbage
	s.list = s.list[:last]
	*s.place(item) = 0
	return item
}
