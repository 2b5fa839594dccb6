package manifest

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Stdin as the name of a file stands for the standard input.
const Stdin = "-"

// extensions are those of the files that are read in a directory. A file that is named itself may have any.
var extensions = []string{".json", ".yaml", ".yml"}

// Read returns every object in files and directories and, for [Stdin], in stdin, in the order in which they stand there.
// Lists are taken apart. What cannot be read is an error, and does not keep the rest from being returned.
func Read(names []string, recursive bool, stdin io.Reader) ([]Object, []error) {
	var objects []Object
	texts, errs := Load(names, recursive, stdin)
	for _, text := range texts {
		found, mistakes := Parse(text.Name, text.Content)
		objects, errs = append(objects, found...), append(errs, mistakes...)
	}
	return objects, errs
}

// File is what a file holds.
type File struct {
	Name    string // as the file of a [Place]
	Content []byte
}

// Load returns the texts of files and directories and, for [Stdin], of stdin.
func Load(names []string, recursive bool, stdin io.Reader) ([]File, []error) {
	var texts []File
	var errs []error
	for _, name := range names {
		if name == Stdin {
			content, err := io.ReadAll(stdin)
			if err != nil {
				errs = append(errs, failed("stdin", err))
			}
			stdin = drained{}
			texts = append(texts, File{"stdin", content})
			continue
		}
		files, err := expand(name, recursive)
		if err != nil {
			errs = append(errs, failed(name, err))
		}
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				errs = append(errs, failed(file, err))
				continue
			}
			texts = append(texts, File{file, content})
		}
	}
	return texts, errs
}

// drained is the standard input when it has been read.
type drained struct{}

func (drained) Read([]byte) (int, error) { return 0, errors.New("it can be read only once") }

// expand lists the files of a directory, and those below it if recursive; or the file itself.
func expand(name string, recursive bool) ([]string, error) {
	var files []string
	err := filepath.WalkDir(name, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path != name && entry.IsDir() && !recursive:
			return fs.SkipDir
		case entry.IsDir():
		case path == name || slices.Contains(extensions, filepath.Ext(path)):
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		return files, err
	}
	// A link to a directory is not followed by the walk.
	if info, err := os.Stat(name); err == nil && info.IsDir() && len(files) == 1 && files[0] == name {
		return expand(name+string(filepath.Separator), recursive)
	}
	return files, nil
}

// failed is the error with the file first, as in all others, and without the system call.
func failed(name string, err error) error {
	if inner := (*fs.PathError)(nil); errors.As(err, &inner) {
		name, err = inner.Path, inner.Err
	}
	return &Unreadable{Place{File: name}, err.Error()}
}
