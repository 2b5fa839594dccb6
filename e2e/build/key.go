package build

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// key changes when anything does that the programs are made from.
func key(module string, kubernetes release) (string, error) {
	files, err := filepath.Glob(filepath.Join(module, "cmd", "controlplane", "*.go"))
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	fmt.Fprintln(sum, runtime.Version(), runtime.GOOS, runtime.GOARCH, Flags, kubernetes.stamps())
	for _, name := range append(files, filepath.Join(module, kubernetes.modfile), filepath.Join(module, kubernetes.sum())) {
		text, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		fmt.Fprintln(sum, filepath.Base(name), len(text))
		sum.Write(text)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
