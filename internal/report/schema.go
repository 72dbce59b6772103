package report

import "reflect"

// ScanType is the type that [JSON] encodes, for its schema.
func ScanType() reflect.Type { return reflect.TypeFor[document]() }
