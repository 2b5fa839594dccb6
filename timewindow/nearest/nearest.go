// Package nearest finds the word that was probably meant by one that does not exist.
package nearest

import "strings"

// longest bounds the words that are compared: nobody mistypes more, and the cost grows with the square.
const longest = 64

// Of returns the candidate with the fewest single-letter edits from word, ignoring case, or "" if even that one is not
// near: more than two edits away, or more than a third of the word. Of equals the first wins.
func Of(word string, candidates []string) string {
	if len(word) > longest {
		return ""
	}
	word = strings.ToLower(word)
	best, fewest := "", min(2, len(word)/3)+1
	for _, c := range candidates {
		if len(c) > longest {
			continue
		}
		if d := distance(word, strings.ToLower(c)); d < fewest {
			best, fewest = c, d
		}
	}
	return best
}

// distance is the Levenshtein distance between two words, in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
