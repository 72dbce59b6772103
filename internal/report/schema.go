package report

import "reflect"

// ScanType is the type that [JSON] encodes, for its schema.
func ScanType() reflect.Type { return reflect.TypeFor[document]() }

// ExplainTypes are the types that [ExplainJSON] encodes: of a target, and of a session
// that is none.
func ExplainTypes() []reflect.Type {
	return []reflect.Type{reflect.TypeFor[explainedTarget](), reflect.TypeFor[explainedSession]()}
}
