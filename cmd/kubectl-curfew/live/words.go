package live

import (
	"slices"
	"strings"

	"curfew/scaler/kind"
)

// short are the words for kinds that people type, by the names that --kinds has for them.
var short = map[string]string{
	"deployments.apps":                     "deploy",
	"statefulsets.apps":                    "sts",
	"cronjobs.batch":                       "cj",
	"horizontalpodautoscalers.autoscaling": "hpa",
	"scaledobjects.keda.sh":                "so",
}

// words are those for a kind that kubectl knows, the one to offer first. For a kind that Curfew does not know by itself,
// it is one that cannot be taken for another.
func words(k *kind.Kind) []string {
	word, ok := short[k.String()]
	if !ok {
		return []string{k.String()}
	}
	all := []string{word, strings.ToLower(k.Name), k.Resource.Resource}
	for _, word := range slices.Clone(all) {
		all = append(all, word+"."+k.Resource.Group)
	}
	return all
}

// called is the known kind that a word names; nil if there is none.
func called(word string) *kind.Kind {
	for _, k := range kind.Known() {
		if slices.Contains(words(k), strings.ToLower(word)) {
			return k
		}
	}
	return nil
}

// namespaceKinds are the words for the kind that kubectl knows.
var namespaceKinds = []string{"ns", "namespace", "namespaces"}

// IsKind reports whether a word names a kind that is known without asking a cluster, rather than an object.
func IsKind(word string) bool {
	return called(word) != nil || slices.Contains(namespaceKinds, strings.ToLower(word))
}
