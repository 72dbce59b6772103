package report

import "reflect"

// ScanType is the type that [JSON] encodes. The schema is made from it.
func ScanType() reflect.Type { return reflect.TypeFor[document]() }

// ExplainTypes are the types that [ExplainJSON] encodes: for a target, and for a session
// that is no target.
func ExplainTypes() []reflect.Type {
	return []reflect.Type{reflect.TypeFor[explainedTarget](), reflect.TypeFor[explainedSession]()}
}
