// Package schema holds the JSON Schemas of what reaperd reads and writes, for editors and
// programs. Command generate makes them from the types that are encoded, and a test holds that
// they match. Within one version keys are only added. A schema belongs to the release that
// prints it, and allows only what that release writes.
package schema

//go:generate go run ./generate
