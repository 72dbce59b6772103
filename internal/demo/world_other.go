//go:build !linux

package demo

import "context"

func outside(context.Context, story) (code int, err error) { return 0, ErrNotHere }

func first(*story) error { return ErrNotHere }
