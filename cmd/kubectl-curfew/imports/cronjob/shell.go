package cronjob

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"curfew/cmd/kubectl-curfew/imports/translate"
)

// shells are the programs that take a script behind -c.
var shells = map[string]syntax.LangVariant{"sh": syntax.LangPOSIX, "ash": syntax.LangPOSIX, "dash": syntax.LangPOSIX, "bash": syntax.LangBash}

// harmless are commands that change nothing that matters here.
var harmless = []string{"echo", "printf", "true", ":", "date", "set"}

// container reads what a container runs: the commands that scale, and whether there are any, be it that the error says
// why they cannot be told.
func container(image string, command, args []string) ([]scaling, bool, error) {
	words := slices.Concat(command, args)
	if !mentions(strings.Join(words, " "), image) {
		return nil, false, nil
	}
	if len(command) == 0 && len(args) > 0 && args[0] != "kubectl" && isKubectl(image) {
		words = slices.Concat([]string{"kubectl"}, args)
	}
	for _, w := range words {
		if strings.Contains(w, "$(") && shellOf(words) < 0 {
			return nil, true, fmt.Errorf("%s is filled in when it runs, and with what cannot be told; write the names and sizes out", translate.Quote(w))
		}
	}
	at := shellOf(words)
	if at < 0 {
		if len(command) == 0 && words[0] != "kubectl" {
			return nil, true, errors.New("which program its image starts cannot be told; write the command out")
		}
		one, err := kubectl(words)
		if err == nil && one == nil {
			err = fmt.Errorf("%s is not understood; write the rules by hand", translate.Quote(strings.Join(words, " ")))
		}
		if err != nil {
			return nil, true, err
		}
		return []scaling{*one}, true, nil
	}
	if at+1 < len(words) && strings.Contains(words[at], "$(") {
		return nil, true, fmt.Errorf("%s holds $( ), and with what it is filled in cannot be told; write the names and sizes out", translate.Quote(words[at]))
	}
	all, err := script(words[at], shells[path.Base(words[0])])
	return all, true, err
}

// mentions reports whether a text looks like kubectl scaling something.
func mentions(text, image string) bool {
	sizes := func(word string) bool { return strings.Contains(text, word) }
	return (sizes("kubectl") || isKubectl(image)) && slices.ContainsFunc([]string{"scale", "eplicas", `"suspend"`, "/spec/suspend"}, sizes)
}

// isKubectl reports whether an image is one of kubectl, which then is what it starts.
func isKubectl(image string) bool {
	name, _, _ := strings.Cut(path.Base(image), "@")
	name, _, _ = strings.Cut(name, ":")
	return name == "kubectl"
}

// shellOf returns the place of the script in the words of a shell, or -1.
func shellOf(words []string) int {
	if len(words) < 3 {
		return -1
	}
	if _, ok := shells[path.Base(words[0])]; !ok {
		return -1
	}
	for i, w := range words[1:] {
		switch {
		case !strings.HasPrefix(w, "-"):
			return -1
		case strings.HasSuffix(w, "c") && !strings.HasPrefix(w, "--") && i+2 < len(words):
			return i + 2
		}
	}
	return -1
}

// script reads the commands of a script that scale. What is not a plain list of commands cannot be told.
func script(text string, variant syntax.LangVariant) ([]scaling, error) {
	file, err := syntax.NewParser(syntax.Variant(variant)).Parse(strings.NewReader(text), "")
	if err != nil {
		return nil, fmt.Errorf("the script %s makes no sense to a shell: %s", translate.Quote(text), translate.Quote(err.Error()))
	}
	var all []scaling
	for _, s := range file.Stmts {
		some, err := statement(s, false)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	if len(all) == 0 {
		return nil, errors.New("the script scales nothing that could be found; write the rules by hand")
	}
	return all, nil
}

// statement reads one command, or several joined by &&, or by || with one that changes nothing. otherwise is whether
// it runs only if something failed.
func statement(s *syntax.Stmt, otherwise bool) ([]scaling, error) {
	fail := func(what string) ([]scaling, error) {
		var text strings.Builder
		if err := syntax.NewPrinter(syntax.SingleLine(true)).Print(&text, s); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%s in %s, and what comes of it cannot be told; write one plain kubectl scale after the other, or the rules by hand", what, translate.Quote(text.String()))
	}
	if s.Background || s.Coprocess || s.Negated || s.Disown {
		return fail("there is & or !")
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		if len(c.Assigns) > 0 {
			return fail("a variable is set")
		}
		words, problem := literals(c.Args)
		switch {
		case problem != "":
			return fail(problem)
		case len(words) == 0:
			return fail("there is no command")
		case slices.Contains(harmless, words[0]):
			return nil, nil
		case otherwise && words[0] == "exit":
			return nil, nil
		case otherwise:
			return fail("something else is done if a command fails")
		case path.Base(words[0]) != "kubectl":
			return fail(translate.Quote(words[0]) + " is run too")
		case len(c.Args) > 0 && slices.ContainsFunc(s.Redirs, func(r *syntax.Redirect) bool { return r.Hdoc != nil || r.Op == syntax.RdrIn }):
			return fail("there is input from elsewhere")
		}
		one, err := kubectl(words)
		if err != nil || one == nil {
			return nil, err
		}
		return []scaling{*one}, nil
	case *syntax.BinaryCmd:
		if c.Op != syntax.AndStmt && c.Op != syntax.OrStmt {
			return fail("there is a pipe")
		}
		first, err := statement(c.X, otherwise)
		if err != nil {
			return nil, err
		}
		second, err := statement(c.Y, c.Op == syntax.OrStmt)
		return append(first, second...), err
	case nil:
		return fail("there is no command")
	}
	return fail("there is more than plain commands")
}

// literals are the words of a command, or what keeps them from being known before it runs.
func literals(words []*syntax.Word) ([]string, string) {
	var all []string
	for _, w := range words {
		problem := ""
		syntax.Walk(w, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.ParamExp:
				problem = "there is a variable"
			case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.ArithmExp:
				problem = "something is worked out when it runs"
			case *syntax.ExtGlob, *syntax.BraceExp:
				problem = "there is a pattern"
			case *syntax.SglQuoted:
				if n.Dollar {
					problem = "there is $' '"
				}
			}
			return problem == ""
		})
		for i, part := range w.Parts {
			if lit, ok := part.(*syntax.Lit); ok && (strings.ContainsAny(lit.Value, "*?[{") || i == 0 && strings.HasPrefix(lit.Value, "~")) {
				problem = "there is a pattern"
			}
		}
		if problem != "" {
			return nil, problem
		}
		text, err := expand.Literal(nil, w)
		if err != nil {
			return nil, "there is a word that is not plain"
		}
		all = append(all, text)
	}
	return all, ""
}
