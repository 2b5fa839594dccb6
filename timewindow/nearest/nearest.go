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
		// As many edits at the least as one of them is longer: that spares most of the work.
		if len(c) > longest || max(len(c), len(word))-min(len(c), len(word)) >= fewest {
			continue
		}
		if d := distance(word, strings.ToLower(c), fewest); d < fewest {
			best, fewest = c, d
		}
	}
	return best
}

// distance is the Levenshtein distance between two words, in bytes, where that is below enough; else it is enough or more.
func distance(a, b string, enough int) int {
	var rows [longest*4 + 1]int // a letter may take more bytes in lower case
	row := rows[:len(b)+1]
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal, least := row[0], i+1
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
			least = min(least, row[j+1])
		}
		if least >= enough { // it only grows from here on
			return least
		}
	}
	return row[len(b)]
}
