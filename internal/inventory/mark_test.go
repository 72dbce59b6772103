package inventory

import "testing"

func TestAnOwnerMarkNamesAProcessOfOneBootAndNamespace(t *testing.T) {
	host := Host{OS: "linux", BootID: "b0", PIDNamespace: "init"}
	inner := Host{OS: "linux", BootID: "b0", PIDNamespace: "other", PIDNamespaceID: 7}
	for _, c := range []struct {
		name, text string
		host       Host
		may, is    bool
	}{
		{"all of it", "44:100:b0:4026531836", host, true, true},
		{"without a namespace, on the host", "44:100:b0", host, true, true},
		{"without a namespace, inside one", "44:100:b0", inner, true, false},
		{"another namespace", "44:100:b0:9", inner, false, false},
		{"this one", "44:100:b0:7", inner, true, true},
		{"another boot", "44:100:b1:4026531836", host, false, false},
		{"no boot", "44:100", host, true, false},
		{"a namespace that its writer did not know", "44:100:b0:", host, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			mark, err := ParseOwnerMark(c.text)
			if err != nil || mark.ID != (ID{44, 100}) || mark.MayBeOf(c.host) != c.may || mark.IsOf(c.host) != c.is {
				t.Errorf("%+v, %v: may be %v, is %v; want %v, %v", mark, err, mark.MayBeOf(c.host), mark.IsOf(c.host), c.may, c.is)
			}
		})
	}
	for _, text := range []string{"", "44", "x:1", "44:x", "44:1:b:7:8"} {
		if _, err := ParseOwnerMark(text); err == nil {
			t.Errorf("%q is no mark", text)
		}
	}
}
