package main

import "os"

// noticeDeadConnections has client-go notice within seven seconds that a connection is dead which nobody has closed: one
// whose node was lost, or that a firewall has forgotten. By default it takes 45 s, for which no boundary is kept, and in
// which the lease is lost. It is shorter than the deadline for renewing that. There is no other way to say it than the
// environment, in which others may have said otherwise. The renewals of the lease alone keep a sound connection from
// being looked at.
func noticeDeadConnections() error {
	for name, seconds := range map[string]string{"HTTP2_READ_IDLE_TIMEOUT_SECONDS": "4", "HTTP2_PING_TIMEOUT_SECONDS": "3"} {
		if os.Getenv(name) == "" {
			if err := os.Setenv(name, seconds); err != nil {
				return err
			}
		}
	}
	return nil
}
