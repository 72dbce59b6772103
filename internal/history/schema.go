package history

import "reflect"

// DocumentType is the type that [History.JSON] encodes, for its schema.
func DocumentType() reflect.Type { return reflect.TypeFor[document]() }
