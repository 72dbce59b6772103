package doctor

import (
	"os"
	"strings"
)

// place is where reaperd runs, as far as remedies depend on it. The zero value is a plain
// host.
type place uint8

const (
	onHost place = iota
	inUnit
	inContainer
	inKubernetes
)

// placeHere finds the place by its traces: an environment variable that the kubelet sets,
// a file that the container engine makes, a variable that systemd sets.
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

// remedy tells what to do in each place; empty if nothing is known.
type remedy struct{ host, unit, compose, kubernetes string }

// at returns the remedy for a place. A container gets that of compose and that of
// Kubernetes: a pod may hide its variables.
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
	return strings.Join(said, betweenRemedies)
}

func prefix(lead, text string) string {
	if text == "" {
		return ""
	}
	return lead + text
}
