package harness

import (
	"context"
	"fmt"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"curfew/e2e/cluster"
)

// AccountName is the name that deploy/ gives Curfew's ServiceAccount.
const AccountName = "curfew"

// Namespace is where deploy/ installs Curfew, if nobody moves it.
const Namespace = "curfew"

// User is how the API server calls Curfew's ServiceAccount in a namespace.
func User(namespace string) string {
	return fmt.Sprintf("system:serviceaccount:%s:%s", namespace, AccountName)
}

// Token is a token for Curfew's ServiceAccount in a namespace.
func Token(ctx context.Context, c *cluster.Cluster, namespace string) (string, error) {
	lifetime := int64(6 * 60 * 60)
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &lifetime}}
	answer, err := c.Client.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, AccountName, request, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("token of Curfew's ServiceAccount: %w", err)
	}
	return answer.Status.Token, nil
}

// WriteKubeconfig writes a kubeconfig with which one is Curfew's ServiceAccount
// in a namespace, and nothing more.
func WriteKubeconfig(ctx context.Context, c *cluster.Cluster, namespace, path string) error {
	return writeKubeconfig(ctx, c, c.Config.Host, namespace, path)
}

// writeKubeconfig is that, where the API server is reached at a host.
func writeKubeconfig(ctx context.Context, c *cluster.Cluster, host, namespace, path string) error {
	token, err := Token(ctx, c, namespace)
	if err != nil {
		return err
	}
	config := rest.CopyConfig(c.Config)
	if err := rest.LoadTLSFiles(config); err != nil {
		return err
	}
	return cluster.WriteKubeconfig(path, host, config.CAData, token)
}
