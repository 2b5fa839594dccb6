package cluster

import "net"

// ports are where the parts listen, all on 127.0.0.1.
type ports struct{ etcdClient, etcdPeer, apiServer int }

func freePorts() (ports, error) {
	free, err := FreePorts(3)
	if err != nil {
		return ports{}, err
	}
	return ports{etcdClient: free[0], etcdPeer: free[1], apiServer: free[2]}, nil
}

// FreePorts finds n different TCP ports on 127.0.0.1 that nobody listens on.
func FreePorts(n int) ([]int, error) {
	free := make([]int, n)
	for i := range free {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer listener.Close() // when all are known, or one would come twice
		free[i] = listener.Addr().(*net.TCPAddr).Port
	}
	return free, nil
}
