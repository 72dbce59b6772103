package screen

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/reaperd/reaperd/internal/human"
)

// JSON writes a value for programs: on one line, its keys in order, and without characters that steer a terminal.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(v); err != nil {
		return nil, fmt.Errorf("write JSON: %w", err)
	}
	return human.EscapeJSON(b.Bytes()), nil
}
