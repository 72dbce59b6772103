package doctor

import (
	"os"
	"strings"
)

// place is what reaperd runs in, as far as remedies differ by it. The zero value is a
// host of its own.
type place uint8

const (
	onHost place = iota
	inUnit
	inContainer
	inKubernetes
)

// placeHere tells by what each of them leaves: a variable of the kubelet's, a file of
// the engine's, a variable of systemd's.
func placeHere(lookup func(string) (string, bool), exists func(string) bool) place {
	if _, set := lookup("KUBERNETES_SERVICE_HOST"); set {
		return inKubernetes
	}
	if exists("/.dockerenv") || exists("/run/.containerenv") {
		return inContainer
	}
	if _, set := lookup("INVOCATION_ID"); set {
		return inUnit
	}
	return onHost
}

func here() place {
	return placeHere(os.LookupEnv, func(name string) bool { _, err := os.Stat(name); return err == nil })
}

// remedy is what to do about one thing, by place; empty is nothing that is known.
type remedy struct{ host, unit, compose, kubernetes string }

// at is the remedy for a place. A container may be one of compose or a pod's that hides it.
func (r remedy) at(p place) string {
	texts := map[place][]string{
		onHost: {r.host}, inUnit: {prefix("in the unit: ", r.unit)},
		inContainer:  {prefix("in compose: ", r.compose), prefix("in Kubernetes: ", r.kubernetes)},
		inKubernetes: {prefix("in Kubernetes: ", r.kubernetes)},
	}[p]
	said := []string{}
	for _, text := range texts {
		if text != "" {
			said = append(said, text)
		}
	}
	return strings.Join(said, "   ")
}

func prefix(lead, text string) string {
	if text == "" {
		return ""
	}
	return lead + text
}
