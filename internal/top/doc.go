// Package top is `reaperd top` without its terminal: the contents of its screen, and the
// meaning of its keys. A [Model] is a value. [Model.Update] takes a message (a key, a
// look, an answer) and returns the next model and the [Effect] that it asks for.
// [Model.Frame] returns the contents of the screen. Neither reads the host, the clock or
// a terminal.
//
// Where to find what:
//
//	messages and effects          message.go
//	the model, and what keys mean model.go, browse.go, act.go, page.go
//	the tree's rows               rows.go (folds, filter), order.go (sort)
//	a row's cells                 columns.go, state.go (countdowns)
//	the lines around the tree     view.go, head.go, who.go, foot.go
//	pages over it                 details.go, keep.go, gone.go, events.go, help.go
//
// Frames contain the texts of processes escaped ([human.Safe]), and no line is wider than
// the terminal.
package top
