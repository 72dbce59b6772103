package graph

import "github.com/reaperd/reaperd/internal/catalogue"

var _ Catalogue = (*catalogue.Catalogue)(nil)
