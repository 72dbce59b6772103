// Package schema holds the JSON Schemas (draft 2020-12) of the files and answers that
// reaperd reads and writes, for editors and programs. Command generate makes them from
// the code, and a test checks that they still match it:
//
//	policy     from the keys that a policy file is read by (policy.Keys)
//	scan       from the type that `reaperd scan -o json` encodes, and sweep
//	explain    from the types that `reaperd explain -o json` encodes
//	snapshot   from the type that a snapshot file is read into
//	history    from the type that `reaperd history -o json` encodes
//	status     from the type that the daemon encodes for `reaperd status -o json`
//	pins, discover, doctor   from the types that those commands encode
//
// Within one version of a format keys are only added. A schema belongs to the release
// that prints it and allows only what that release writes: print it again after an
// upgrade.
package schema

//go:generate go run ./generate
