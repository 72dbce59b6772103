// Package deploy holds what runs reaperd where people run things: units,
// plists, packages, the image, compose and Kubernetes files, and what
// Prometheus and Grafana need. README.md says which folder is for whom.
//
// The unit and plist files are built into the program, which writes them with
// its own path in (reaperd install): there is one text of each, the one that a
// package ships and that the tests check with the field's own tools.
//
// Checks that need no more than the files run with every `go test`; what needs
// root, an engine or minutes runs with REAPERD_TEST_DEPLOY=1 (make test-deploy).
package deploy
