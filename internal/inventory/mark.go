package inventory

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// OwnerMark names a process exactly, across boots and PID namespaces, as written
// into REAPERD_OWNER and the label reaperd.owner: <pid>:<start>:<boot>:<pidns>.
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

// unknownNamespace is the namespace of a mark whose writer did not know it.
const unknownNamespace = "?"

// firstNamespace is the inode of Linux's first PID namespace, on every host
// (PROC_PID_INIT_INO).
const firstNamespace = 0xEFFFFFFC

// Namespace is the table's PID namespace as a mark writes it; empty is not known.
func (h Host) Namespace() string {
	switch {
	case h.PIDNamespaceID != 0:
		return strconv.FormatUint(h.PIDNamespaceID, 10)
	case h.OS == "linux" && h.PIDNamespace == "init":
		return strconv.FormatUint(firstNamespace, 10)
	}
	return ""
}

// MayBeOf reports that nothing speaks against the mark being one of this boot and
// this PID namespace.
func (m OwnerMark) MayBeOf(h Host) bool {
	own := h.Namespace()
	told := m.Namespace != "" && m.Namespace != unknownNamespace && own != ""
	return (m.BootID == "" || m.BootID == h.BootID) && (!told || m.Namespace == own)
}

// IsOf reports that the mark says itself that it is of this boot and this PID
// namespace. One without a namespace is the first one's.
func (m OwnerMark) IsOf(h Host) bool {
	sameNamespace := m.Namespace != "" && m.Namespace == h.Namespace() || m.Namespace == "" && h.PIDNamespace == "init"
	return m.BootID != "" && m.BootID == h.BootID && sameNamespace
}
