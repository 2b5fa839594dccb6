package live

import (
	"fmt"

	"github.com/spf13/pflag"

	"curfew/scaler/observe"
	"curfew/timewindow"
)

// Controller is what the controller was told by its flags, which no object in the cluster says.
type Controller struct{ timezone string }

// AddFlags adds --timezone.
func (c *Controller) AddFlags(flags *pflag.FlagSet) {
	flags.StringVar(&c.timezone, "timezone", c.timezone, "The controller's --timezone: the IANA zone of rules that name none, where neither Deployment nor Namespace names one. (default UTC)")
}

// Settings reads the flags. The error names the flag.
func (c *Controller) Settings() (observe.Settings, error) {
	if c.timezone == "" {
		return observe.Settings{}, nil
	}
	zone, err := timewindow.LoadZone(c.timezone)
	if err != nil {
		return observe.Settings{}, fmt.Errorf("--timezone: %w", err)
	}
	return observe.Settings{Zone: zone}, nil
}
