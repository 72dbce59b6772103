package cli

import (
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/advice"
)

// WriteManual writes reaperd.1, and reaperd-COMMAND.1 for every command and help topic, into a folder, dated as SOURCE_DATE_EPOCH says.
func WriteManual(root *cobra.Command, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	date, err := sourceDate()
	if err != nil {
		return err
	}
	for _, cmd := range pages(root) {
		text := page(root, cmd, date)
		if err := os.WriteFile(filepath.Join(folder, name(cmd)+".1"), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// sourceDate returns the time in SOURCE_DATE_EPOCH (seconds since 1970), else now.
func sourceDate() (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		return time.Now(), nil
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, advice.Misused("", "SOURCE_DATE_EPOCH=%q: want seconds since 1970", text)
	}
	return time.Unix(seconds, 0), nil
}
