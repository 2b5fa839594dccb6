package status

import (
	"context"
	"reflect"
	"slices"
	"time"

	"curfew/cmd/kubectl-curfew/live"
	"curfew/scaler/kind"
)

const (
	// lead is how long Curfew has got at a boundary before it is looked at, for it is a change anyway when it acts.
	lead = time.Second
	// nap bounds the wait for a boundary, for a timer does not notice that the clock was set or the machine slept.
	nap = time.Minute
)

// watch calls say with what there is to say about the first subjects seen, and then with what has changed, be it that
// others are seen or that time has passed. It returns when the context or whoever sees has ended, or say fails.
func watch(ctx context.Context, seen <-chan []live.Subject, now func() time.Time, say func([]Item, time.Time) error, ended <-chan error) error {
	var subjects []live.Subject
	var known map[kind.Key]Item // nil: nothing was seen yet
	timer := time.NewTimer(nap)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-ended:
			return err
		case subjects = <-seen:
		case <-timer.C:
			if known == nil {
				timer.Reset(nap)
				continue
			}
		}
		at := now()
		items, by := changed(known, subjects, at)
		if known == nil || len(items) > 0 {
			if err := say(items, at); err != nil {
				return err
			}
		}
		known = by
		timer.Reset(wait(by, at))
	}
}

// changed says what is new, other or gone, and how everything stands.
func changed(known map[kind.Key]Item, subjects []live.Subject, now time.Time) ([]Item, map[kind.Key]Item) {
	var items []Item
	by := map[kind.Key]Item{}
	for _, s := range subjects {
		item := Of(s, now)
		was, ok := known[s.Key()]
		if ok && !item.Applied && was.turning(now) {
			item = was
		}
		by[s.Key()] = item
		if !ok || !reflect.DeepEqual(was, item) {
			items = append(items, item)
		}
	}
	for name, was := range known {
		if _, ok := by[name]; !ok {
			items = append(items, gone(was))
		}
	}
	slices.SortStableFunc(items, func(x, y Item) int {
		return x.key.Compare(y.key)
	})
	return items, by
}

// turning reports whether Curfew has only just begun to do what follows.
func (i Item) turning(now time.Time) bool {
	return !i.Until.IsZero() && !now.Before(i.Until) && now.Before(i.Until.Add(lead))
}

// gone is what there is to say about an object that is not there any more.
func gone(was Item) Item {
	return Item{
		Kind: was.Kind, Namespace: was.Namespace, Name: was.Name, Timezone: was.Timezone, State: StateGone, Applied: true,
		key: was.key, zone: was.zone,
	}
}

// wait is how long nothing changes by itself.
func wait(items map[kind.Key]Item, now time.Time) time.Duration {
	shortest := nap
	for _, i := range items {
		if !i.Until.IsZero() {
			shortest = min(shortest, i.Until.Add(lead).Sub(now))
		}
	}
	return max(shortest, 0)
}
