package scan

import (
	"strconv"

	"github.com/reaperd/reaperd/internal/inventory"
)

// ttyName is the name of the terminal with that device number (field 7 of
// /proc/PID/stat); empty is no terminal.
func ttyName(device uint32) string {
	major, minor := device>>8&0xfff, device&0xff|device>>12&0xfff00
	number := func(n uint32) string { return strconv.FormatUint(uint64(n), 10) }
	switch {
	case device == 0:
		return ""
	case isPTY(major):
		return "pts/" + number((major-136)<<8+minor)
	case major == 4 && minor < 64:
		return "tty" + number(minor)
	case major == 4:
		return "ttyS" + number(minor-64)
	case major == 5 && minor == 1:
		return "console"
	}
	return number(major) + ":" + number(minor)
}

func isPTY(major uint32) bool { return major >= 136 && major <= 143 }

// characterKind is the kind of stream that a character device makes as stdin or
// stdout. Numbers are those of Documentation/admin-guide/devices.txt.
func characterKind(major, minor uint32) inventory.Kind {
	switch {
	case major == 1 && minor == 3:
		return inventory.KindNull
	case major == 1: // /dev/zero, /dev/full, /dev/urandom
		return inventory.KindFile
	case isPTY(major), major == 4, major == 5, major == 204, major == 229:
		return inventory.KindTTY
	}
	return inventory.KindUnknown
}
