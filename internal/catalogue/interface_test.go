package catalogue

import "github.com/reaperd/reaperd/internal/graph"

var _ graph.Catalogue = (*Catalogue)(nil)
