package inventory

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// OwnerMark names a process across boots and PID namespaces. REAPERD_OWNER and the
// label reaperd.owner hold one: <pid>:<start>:<boot>:<pidns>.
type OwnerMark struct {
	ID
	BootID    string // empty where it was left out
	Namespace string // the inode of the PID namespace; empty where it was left out
}

// ParseOwnerMark reads a mark; boot and namespace may be left out.
func ParseOwnerMark(text string) (OwnerMark, error) {
	parts := strings.Split(text, ":")
	if len(parts) < 2 || len(parts) > 4 {
		return OwnerMark{}, fmt.Errorf("owner %q: want PID:START:BOOT:PIDNS", text)
	}
	id, err := ParseID(parts[0] + ":" + parts[1])
	if err != nil {
		return OwnerMark{}, err
	}
	mark := OwnerMark{ID: id}
	if len(parts) > 2 {
		mark.BootID = parts[2]
	}
	if len(parts) > 3 {
		mark.Namespace = cmp.Or(parts[3], unknownNamespace)
	}
	return mark, nil
}

// unknownNamespace is written by a reaperd that does not know its PID namespace.
const unknownNamespace = "?"

// firstNamespace is the inode of Linux's first PID namespace, on every host
// (PROC_PID_INIT_INO).
const firstNamespace = 0xEFFFFFFC

// Namespace is the table's PID namespace in the form of a mark; "" if it is not
// known.
func (h Host) Namespace() string {
	switch {
	case h.PIDNamespaceID != 0:
		return strconv.FormatUint(h.PIDNamespaceID, 10)
	case h.OS == "linux" && h.PIDNamespace == "init":
		return strconv.FormatUint(firstNamespace, 10)
	}
	return ""
}

// MayBeOf reports that the mark does not contradict this boot and this PID namespace.
func (m OwnerMark) MayBeOf(h Host) bool {
	own := h.Namespace()
	told := m.Namespace != "" && m.Namespace != unknownNamespace && own != ""
	return (m.BootID == "" || m.BootID == h.BootID) && (!told || m.Namespace == own)
}

// IsOf reports that the mark names this boot and this PID namespace. A mark without a
// namespace means the first one.
func (m OwnerMark) IsOf(h Host) bool {
	sameNamespace := m.Namespace != "" && m.Namespace == h.Namespace() || m.Namespace == "" && h.PIDNamespace == "init"
	return m.BootID != "" && m.BootID == h.BootID && sameNamespace
}
