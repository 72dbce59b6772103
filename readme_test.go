package reaperd

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/serve"
)

// TestReadmeNamesEveryMetric holds the README's table to what is served.
func TestReadmeNamesEveryMetric(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, metric := range serve.Describe() {
		if row := metricRow(metric); !strings.Contains(string(readme), row) {
			t.Errorf("README.md lacks the row\n%s", row)
		}
	}
}

func metricRow(metric serve.MetricDoc) string {
	name := metric.Name
	if len(metric.Labels) > 0 {
		name += "{" + strings.Join(metric.Labels, ",") + "}"
	}
	return fmt.Sprintf("| `%s` | %s | %s |", name, metric.Type, metric.Help)
}
