package cli

import (
	"slices"

	"github.com/spf13/cobra"
)

// Commands are the commands that the help lists under one title.
type Commands struct {
	Title string
	Names []string
}

// Group makes the help list commands under titles. Other commands come last, under
// cobra's title.
func Group(root *cobra.Command, groups []Commands) {
	for _, group := range groups {
		root.AddGroup(&cobra.Group{ID: group.Title, Title: group.Title})
		for _, cmd := range root.Commands() {
			if slices.Contains(group.Names, cmd.Name()) {
				cmd.GroupID = group.Title
			}
		}
	}
}
