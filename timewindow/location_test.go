package timewindow

import "testing"

func TestScheduleLocation(t *testing.T) {
	oslo, err := LoadZone("Europe/Oslo")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ text, want string }{
		"named by none":                {"Sat = 0", "Europe/Oslo"},
		"named by all":                 {"Sat Asia/Tokyo = 0; Sun Asia/Tokyo = 0", "Asia/Tokyo"},
		"named by some":                {"Sat Asia/Tokyo = 0; Sun = 0", ""},
		"what always holds has none":   {"Sat Asia/Tokyo = 0; always = 1", "Asia/Tokyo"},
		"not even if it names another": {"always UTC = 1; Sat Asia/Tokyo = 0", "Asia/Tokyo"},
		"nothing but always":           {"always Asia/Tokyo = 0", "Asia/Tokyo"},
		"always, and always":           {"always = 0; always = 1", "Europe/Oslo"},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Parse(c.text, oslo)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if zone := s.Location(); zone != nil {
				got = zone.String()
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
