package cluster

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/util/cert"
)

// Files in a cluster's folder.
const (
	adminKubeconfig      = "kubeconfig"
	controllerKubeconfig = "controllers.kubeconfig"
	kubeletKubeconfig    = "kubelet.kubeconfig"
	tokenFile            = "tokens.csv"
	accountKeyFile       = "service-accounts.key"
	servingCertFile      = "apiserver.crt"
	servingKeyFile       = "apiserver.key"
	auditPolicyFile      = "audit-policy.yaml"
)

// Admin is the user in the admin's kubeconfig, as the audit log names it.
const Admin = "admin"

// users have a name each, so that the audit log tells them apart, and may all
// do everything.
var users = map[string]string{
	Admin:                            adminKubeconfig,
	"system:kube-controller-manager": controllerKubeconfig,
	"stand-in-kubelet":               kubeletKubeconfig,
}

func (c *Cluster) writeCredentials() error {
	serving, servingKey, err := cert.GenerateSelfSignedCertKey("127.0.0.1", nil, []string{"localhost"})
	if err != nil {
		return err
	}
	accountKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	files := map[string][]byte{
		servingCertFile: serving,
		servingKeyFile:  servingKey,
		accountKeyFile: pem.EncodeToMemory(&pem.Block{
			Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(accountKey),
		}),
	}
	var tokens strings.Builder
	for user, kubeconfig := range users {
		token := rand.Text()
		fmt.Fprintf(&tokens, "%s,%s,%s,system:masters\n", token, user, user)
		server := fmt.Sprintf("https://127.0.0.1:%d", c.ports.apiServer)
		if err := WriteKubeconfig(c.file(kubeconfig), server, serving, token); err != nil {
			return err
		}
	}
	files[tokenFile] = []byte(tokens.String())
	for name, text := range files {
		if err := os.WriteFile(c.file(name), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// WriteKubeconfig writes a kubeconfig file for one server, its certificate
// authority in PEM, and a bearer token.
func WriteKubeconfig(path, server string, authority []byte, token string) error {
	const name = "curfew-e2e"
	config := clientcmdapi.NewConfig()
	config.Clusters[name] = &clientcmdapi.Cluster{Server: server, CertificateAuthorityData: authority}
	config.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: token}
	config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	config.CurrentContext = name
	return clientcmd.WriteToFile(*config, path)
}
