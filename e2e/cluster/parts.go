package cluster

import "fmt"

func (c *Cluster) etcdURL() string { return fmt.Sprintf("http://127.0.0.1:%d", c.ports.etcdClient) }

func (c *Cluster) etcdArgs() []string {
	peer := fmt.Sprintf("http://127.0.0.1:%d", c.ports.etcdPeer)
	return []string{
		"--data-dir=" + c.file("etcd"),
		"--listen-client-urls=" + c.etcdURL(), "--advertise-client-urls=" + c.etcdURL(),
		"--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer,
		"--initial-cluster=default=" + peer,
		// Every version of thousands of objects, until the API server compacts them.
		fmt.Sprintf("--quota-backend-bytes=%d", 16<<30),
		"--unsafe-no-fsync", // a disk's fsync is slower than everything else here
	}
}

func (c *Cluster) apiServerArgs() []string {
	return []string{
		"--etcd-servers=" + c.etcdURL(),
		"--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", c.ports.apiServer),
		// There is no network of pods that would need to find this server.
		"--advertise-address=127.0.0.1", "--endpoint-reconciler-type=none",
		"--service-cluster-ip-range=10.96.0.0/16",
		"--tls-cert-file=" + c.file(servingCertFile), "--tls-private-key-file=" + c.file(servingKeyFile),
		"--authorization-mode=RBAC", "--token-auth-file=" + c.file(tokenFile),
		"--service-account-issuer=" + issuer,
		"--service-account-key-file=" + c.file(accountKeyFile),
		"--service-account-signing-key-file=" + c.file(accountKeyFile),
		// The log goes to standard output, where we read it as it comes. Blocking:
		// a request is not done before its line is written.
		"--audit-policy-file=" + c.file(auditPolicyFile),
		"--audit-log-path=-", "--audit-log-format=json", "--audit-log-mode=blocking",
	}
}

func (c *Cluster) controllerArgs() []string {
	return []string{
		"--kubeconfig=" + c.file(controllerKubeconfig),
		"--leader-elect=false", "--secure-port=0",
		"--service-account-private-key-file=" + c.file(accountKeyFile),
		"--root-ca-file=" + c.file(servingCertFile),
		"--horizontal-pod-autoscaler-sync-period=1s",
		// Hundreds of Deployments at once should not take a minute to settle.
		"--kube-api-qps=500", "--kube-api-burst=1000",
	}
}
