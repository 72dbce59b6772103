package cli

import (
	"slices"

	"github.com/spf13/cobra"
)

// Commands are some commands that the help lists under one title.
type Commands struct {
	Title string
	Names []string
}

// Group has the help list commands under titles. One that is under none is listed
// last, under a title of cobra's.
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
