// Package top is `reaperd top` without its terminal: what is shown, and what keys
// do. A [Model] is a value. [Model.Update] makes the next model of a message (a
// key, a look, an answer) and says what is to be done about it; [Model.Frame] says
// what the screen shows. Neither looks at the host, the clock or a terminal.
//
// Where to find what:
//
//	messages and effects          message.go
//	the model, and what keys mean model.go, browse.go, act.go, page.go
//	the tree's rows               rows.go (folds, filter), order.go (sort)
//	what a row says               columns.go, state.go (countdowns)
//	what is around the tree       view.go, head.go, foot.go
//	pages over it                 details.go, events.go, help.go
//
// Texts of processes are made harmless when a frame is made ([human.Safe]); every
// line is cut to the terminal's width.
package top
