// Package check holds the Kubernetes files to Kubernetes' own types: what
// kustomize makes of them is decoded strictly, so that a wrong key fails.
package check
