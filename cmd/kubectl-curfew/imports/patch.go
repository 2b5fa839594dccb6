package imports

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"curfew/cmd/kubectl-curfew/output"
)

// patchable refuses changes that patches cannot tell apart: two manifests of one name become one object in a cluster.
// Equal ones are made one.
func patchable(changes []*change) {
	first := map[string]*change{}
	for _, c := range changes {
		if c.refused() || c.empty() {
			continue
		}
		was, ok := first[name(c.target)]
		switch {
		case !ok:
			first[name(c.target)] = c
		case maps.Equal(was.set, c.set) && fmt.Sprint(was.remove) == fmt.Sprint(c.remove):
			c.set, c.remove = nil, nil
		default:
			c.cannot("another manifest of this name, %s, says something else; a patch is for one of them", was.place())
		}
	}
}

// patchOf is the change as a JSON merge patch.
func patchOf(c *change) string {
	annotations := map[string]any{}
	for _, key := range c.remove {
		annotations[key] = nil
	}
	for key, value := range c.set {
		annotations[key] = value
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(map[string]any{"metadata": map[string]any{"annotations": annotations}}); err != nil {
		panic(err) // it is text throughout
	}
	// JSON lets through what a terminal acts on.
	var safe strings.Builder
	for _, r := range strings.TrimSpace(b.String()) {
		if strconv.IsPrint(r) || r > 0xffff {
			safe.WriteRune(r)
		} else {
			fmt.Fprintf(&safe, `\u%04x`, r)
		}
	}
	return safe.String()
}

// printPatches prints commands for a shell.
func (o *options) printPatches(changes []*change) {
	for _, c := range changes {
		if c.refused() || c.empty() {
			continue
		}
		words := []string{"kubectl", "patch", shell(strings.ToLower(c.target.GroupKind.String())) + "/" + shell(c.target.Name)}
		if c.target.Namespace != "" {
			words = append(words, "--namespace="+shell(c.target.Namespace))
		}
		words = append(words, "--type=merge", "--patch="+shell(patchOf(c)))
		fmt.Fprintln(o.streams.Out, strings.Join(words, " "))
	}
}

// shell is a word for a shell.
func shell(word string) string {
	plain := word != ""
	for _, r := range word {
		plain = plain && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '.')
	}
	if plain {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// printed is a change for scripts.
type printed struct {
	Kind        string            `json:"kind"`
	Namespace   string            `json:"namespace,omitempty"`
	Name        string            `json:"name"`
	From        []reference       `json:"from"`
	Set         map[string]string `json:"set,omitempty"`
	Remove      []string          `json:"remove,omitempty"`
	Patch       json.RawMessage   `json:"patch,omitempty"` // absent if the object is left as it is
	Differences []string          `json:"differences,omitempty"`
	Unsaid      []string          `json:"unsaid,omitempty"`
}

// reference is an object that says a schedule.
type reference struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	File      string `json:"file,omitempty"`
	Line      int    `json:"line,omitempty"`
}

func referenceTo(l leftover) reference {
	return reference{l.GetKind(), l.GetNamespace(), l.GetName(), l.Place.File, l.Place.Line}
}

func (o *options) printJSON(changes []*change) error {
	list := struct {
		Changes []printed   `json:"changes"`
		Delete  []reference `json:"delete"` // what has nothing more to say
		Kinds   []string    `json:"kinds"`  // what the controller has to look after
	}{[]printed{}, []reference{}, append([]string{}, needed(changes)...)}
	for _, c := range changes {
		p := printed{Kind: c.target.Kind, Namespace: c.target.Namespace, Name: c.target.Name, From: []reference{}, Differences: c.differences, Unsaid: c.unsaid}
		for _, from := range c.from {
			p.From = append(p.From, referenceTo(leftover{Object: from}))
		}
		if !c.refused() && !c.empty() {
			p.Set, p.Remove, p.Patch = c.set, c.remove, json.RawMessage(patchOf(c))
		}
		list.Changes = append(list.Changes, p)
	}
	for _, l := range leftovers(changes) {
		if !l.needed {
			list.Delete = append(list.Delete, referenceTo(l))
		}
	}
	return output.JSON(o.streams.Out, list)
}
