package main

import (
	"fmt"
	"net/url"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/embed"
)

// newEtcdCommand runs an embedded etcd. It has the few of etcd's flags that the
// package cluster uses, under etcd's names, so that a real etcd can stand in.
func newEtcdCommand() *cobra.Command {
	var dataDir, clientURL, peerURL, advertiseClient, advertisePeer, members string
	var noFsync bool
	var quota int64
	command := &cobra.Command{
		Use:          "etcd",
		SilenceUsage: true,
		RunE: func(command *cobra.Command, _ []string) error {
			client, err := url.Parse(clientURL)
			if err != nil {
				return fmt.Errorf("--listen-client-urls: %w", err)
			}
			peer, err := url.Parse(peerURL)
			if err != nil {
				return fmt.Errorf("--listen-peer-urls: %w", err)
			}
			config := embed.NewConfig()
			config.Dir = dataDir
			config.LogLevel = "warn"
			config.UnsafeNoFsync = noFsync
			config.QuotaBackendBytes = quota
			config.ListenClientUrls, config.AdvertiseClientUrls = []url.URL{*client}, []url.URL{*client}
			config.ListenPeerUrls, config.AdvertisePeerUrls = []url.URL{*peer}, []url.URL{*peer}
			config.InitialCluster = config.InitialClusterFromName(config.Name)

			etcd, err := embed.StartEtcd(config)
			if err != nil {
				return err
			}
			defer etcd.Close()
			select {
			case err := <-etcd.Err():
				return err
			case <-command.Context().Done():
				return nil
			}
		},
	}
	flags := command.Flags()
	flags.StringVar(&dataDir, "data-dir", "", "where the data goes")
	flags.StringVar(&clientURL, "listen-client-urls", "", "the one URL to serve clients on")
	flags.StringVar(&advertiseClient, "advertise-client-urls", "", "as --listen-client-urls")
	flags.StringVar(&peerURL, "listen-peer-urls", "", "the one URL to serve peers on")
	flags.StringVar(&advertisePeer, "initial-advertise-peer-urls", "", "as --listen-peer-urls")
	flags.StringVar(&members, "initial-cluster", "", "this one member")
	flags.BoolVar(&noFsync, "unsafe-no-fsync", false, "do not wait for the disk")
	flags.Int64Var(&quota, "quota-backend-bytes", 0, "how large the data may grow; 0: as large as etcd thinks right")
	return command
}
