// Package top drives `reaperd top` on a terminal in live worlds (package farm): keys
// are typed, the screen is read, and what was stopped or kept is looked up in the
// process table. Nothing of what it looks like is compared beyond words on it;
// internal/top holds that.
package top
