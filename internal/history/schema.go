package history

import "reflect"

// DocumentType is the type that [History.JSON] encodes, for its schema.
func DocumentType() reflect.Type { return reflect.TypeFor[document]() }

// LineType is the type that [JSONLine] encodes, for its schema.
func LineType() reflect.Type { return reflect.TypeFor[jsonLine]() }

// FateType is the type that [Fate.JSON] encodes, for its schema.
func FateType() reflect.Type { return reflect.TypeFor[fateDocument]() }
