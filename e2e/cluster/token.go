package cluster

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"os"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/keyutil"
)

// issuer is who the tokens of ServiceAccounts are from.
const issuer = "https://kubernetes.default.svc"

// leeway is how long the API server takes a token that has run out all the same.
const leeway = time.Minute

// ShortToken is a token of a ServiceAccount that the API server takes for so long and no longer, but for the ten seconds
// for which it remembers having taken it. The shortest that can be asked for lasts ten minutes.
func (c *Cluster) ShortToken(ctx context.Context, namespace, name string, lasts time.Duration) (string, error) {
	if c.audit == nil {
		return "", errNotOurs
	}
	account, err := c.Client.CoreV1().ServiceAccounts(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(c.file(accountKeyFile))
	if err != nil {
		return "", err
	}
	key, err := keyutil.ParsePrivateKeyPEM(text)
	if err != nil {
		return "", err
	}
	now := time.Now()
	type m = map[string]any
	var signed string
	for _, part := range []m{{"alg": "RS256", "typ": "JWT"}, {
		"iss": issuer, "aud": []string{issuer}, "sub": "system:serviceaccount:" + namespace + ":" + name,
		"iat": now.Add(-time.Hour).Unix(), "nbf": now.Add(-time.Hour).Unix(), "exp": now.Add(lasts - leeway).Unix(),
		"kubernetes.io": m{"namespace": namespace, "serviceaccount": m{"name": name, "uid": string(account.UID)}},
	}} {
		json, err := json.Marshal(part)
		if err != nil {
			return "", err
		}
		if signed != "" {
			signed += "."
		}
		signed += base64.RawURLEncoding.EncodeToString(json)
	}
	sum := sha256.Sum256([]byte(signed))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key.(*rsa.PrivateKey), crypto.SHA256, sum[:])
	return signed + "." + base64.RawURLEncoding.EncodeToString(signature), err
}
