package journal

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/reaperd/reaperd/internal/human"
)

// Phase says whether an entry was written before or after the act.
type Phase string

// The phases.
const (
	PhaseIntend  Phase = "intend"
	PhaseOutcome Phase = "outcome"
)

// ResultUnfinished is the result of an act that [Journal.Abandon] has closed.
const ResultUnfinished = "unfinished"

// Entry is one line of the journal. Fields that are left out are unknown.
type Entry struct {
	Time time.Time `json:"time"`
	// ID is the same for an intention and its outcome, and unique otherwise.
	ID    string `json:"id"`
	Phase Phase  `json:"phase"`
	Sweep string `json:"sweep,omitempty"`
	// BootID is the boot to which the PIDs belong.
	BootID string `json:"boot_id,omitempty"`

	Rule         string    `json:"rule,omitempty"`
	RuleOrigin   string    `json:"rule_origin,omitempty"` // file and line
	Action       string    `json:"action,omitempty"`      // terminate or remove
	TargetID     string    `json:"target"`
	Kind         string    `json:"kind,omitempty"`
	Name         string    `json:"name,omitempty"`
	Owner        string    `json:"owner,omitempty"`
	Finding      string    `json:"finding,omitempty"`
	FindingSince time.Time `json:"finding_since,omitzero"`
	// Why is the reason of the verdict, in one sentence.
	Why string `json:"why,omitempty"`
	// Cwd is the working directory of the target's first process.
	Cwd string `json:"cwd,omitempty"`
	// OwnerGoneSince is when the owner was first seen gone, maybe by an earlier daemon.
	OwnerGoneSince time.Time `json:"owner_gone_since,omitzero"`
	// ForSeconds is how long the rule wanted the finding to hold, and HeldSeconds how long
	// it had held as the rule counts it. HeldByAge: a sweep by hand counted the age of the
	// target, which nobody had watched for that long.
	ForSeconds  float64 `json:"for_seconds,omitempty"`
	HeldSeconds float64 `json:"held_seconds,omitempty"`
	HeldByAge   bool    `json:"held_by_age,omitempty"`
	// GraceSeconds is the time that the target has between SIGTERM and SIGKILL, or a container to stop.
	GraceSeconds float64 `json:"grace_seconds,omitempty"`
	// ByHand is the command by which a person asked for the act: "sweep", or with the switch
	// without which the rule would not have acted, "sweep --duplicates". Empty: the daemon acted.
	ByHand string `json:"by_hand,omitempty"`
	// By is the user name of that person. UID is the number of the user whose the target was.
	By  string `json:"by,omitempty"`
	UID *int   `json:"uid,omitempty"`
	// Reaper is the id, "pid:start", of the sweep by hand that acts: while that runs, the act may go on.
	Reaper   string     `json:"reaper,omitempty"`
	Evidence []Evidence `json:"evidence,omitempty"`
	// With is the name and id, in the form of Owner, of the session or gateway that
	// this target was reaped with. Its own evidence is then not the reason.
	With string `json:"with,omitempty"`
	// Runner is the id of the `docker run` that ends by itself with this container, while no act is on it.
	Runner string `json:"runner,omitempty"`
	// Client is the id of the `docker run` of a container, which has an act of its own or ends with this one.
	Client string `json:"client,omitempty"`
	// Tree is the target's processes as they were when it was judged, parents
	// before children.
	Tree []Process `json:"tree,omitempty"`
	// TreeOmitted counts processes that did not fit into the line.
	TreeOmitted int        `json:"tree_omitted,omitempty"`
	Container   *Container `json:"container,omitempty"`
	// MemoryBytes is the target's memory when it was judged; 0 is unknown.
	MemoryBytes uint64 `json:"memory_bytes,omitempty"`

	// BegunAt is when an act that was closed had begun; Time is then when it was
	// closed.
	BegunAt     time.Time `json:"begun_at,omitzero"`
	Result      string    `json:"result,omitempty"`
	Detail      string    `json:"detail,omitempty"`
	Survivors   []string  `json:"survivors,omitempty"` // "pid:start"
	FreedBytes  uint64    `json:"freed_bytes,omitempty"`
	TookSeconds float64   `json:"took_seconds,omitempty"`
}

// Called is what an entry names by name and identity ("claude-code 44:1500"), without
// the start mark, which people do not know: "claude-code 44".
func Called(who string) string {
	if _, id := Named(who); strings.Contains(id, ":") {
		return who[:strings.LastIndexByte(who, ':')]
	}
	return who
}

// Named splits what an entry names into its name and its identity, which is empty where
// it is not known: "claude-code 44:1500" into "claude-code" and "44:1500".
func Named(who string) (name, id string) {
	space := strings.LastIndexByte(who, ' ')
	if space < 0 {
		return who, ""
	}
	return who[:space], who[space+1:]
}

// Who is the form in which an entry names an owner: "claude-code 44:1500", or the name alone
// where the identity is not known.
func Who(name, id string) string { return strings.TrimSpace(name + " " + id) }

// Evidence is one fact about the target's owner.
type Evidence struct {
	Check string `json:"check"`
	Says  string `json:"says"`
	Proof bool   `json:"proof,omitempty"`
	Text  string `json:"text"`
}

// Process is one process of the tree. The caller redacts Argv. A nil figure is
// unknown.
type Process struct {
	PID         int      `json:"pid"`
	Start       uint64   `json:"start"`
	Argv        []string `json:"argv,omitempty"`
	AgeSeconds  *float64 `json:"age_seconds,omitempty"`
	MemoryBytes *uint64  `json:"memory_bytes,omitempty"`
	CPUSeconds  *float64 `json:"cpu_seconds,omitempty"` // user and system, since it started
}

// Ending are the ids of the processes that are as good as ended while an act goes on: the parts, and the client of a
// container.
func (e *Entry) Ending() []string {
	if ids := e.Parts(); e.Client == "" || slices.Contains(ids, e.Client) {
		return ids
	}
	return append(e.Parts(), e.Client)
}

// Parts are the ids of the processes that end with an entry's target, in the form of its TargetID.
func (e *Entry) Parts() []string {
	var ids []string
	if e.Runner != "" {
		ids = append(ids, e.Runner)
	}
	for _, p := range e.Tree {
		ids = append(ids, fmt.Sprintf("%d:%d", p.PID, p.Start))
	}
	return ids
}

// Container is the container that was judged.
type Container struct {
	ID        string            `json:"id"`
	Name      string            `json:"name,omitempty"`
	Image     string            `json:"image,omitempty"`
	Labels    map[string]string `json:"labels,omitempty"`
	Command   []string          `json:"command,omitempty"`
	PID       int               `json:"pid,omitempty"` // of its first process on the host
	CreatedAt time.Time         `json:"created_at,omitzero"`
	StartedAt time.Time         `json:"started_at,omitzero"`
}

// A line is at most maxLine bytes with its newline; a longer text or list in an
// entry that would exceed it is cut to these.
const (
	maxLine = 64 << 10
	maxText = 256
	maxArgs = 16
	maxList = 32
)

// dated is the entry with the present time, if it has none.
func (e Entry) dated() Entry {
	if e.Time.IsZero() {
		e.Time = time.Now()
	}
	return e
}

// encode is the entry as one line of at most most bytes. If it would be longer it is
// cut, and says how many processes are missing.
func encode(entry Entry, most int) ([]byte, error) {
	line, err := marshal(entry)
	if err == nil && len(line) >= most {
		line, err = marshal(entry.cut(maxArgs, maxList))
	}
	if err == nil && len(line) >= most {
		line, err = marshal(entry.cut(1, 4))
	}
	if err != nil {
		return nil, fmt.Errorf("encode journal entry %s: %w", entry.ID, err)
	}
	return append(line, '\n'), nil
}

// marshal is the entry as JSON without invisible characters: a person may read the file on a terminal.
func marshal(entry Entry) ([]byte, error) {
	line, err := json.Marshal(entry)
	return human.EscapeJSON(line), err
}

// cut is the entry with at most args arguments for each process and list items in
// each list.
func (e Entry) cut(args, list int) Entry {
	e.TreeOmitted += max(0, len(e.Tree)-list)
	e.Tree = mapped(head(e.Tree, list), func(p Process) Process {
		p.Argv = mapped(head(p.Argv, args), shorten)
		return p
	})
	e.Evidence = mapped(head(e.Evidence, list), func(line Evidence) Evidence {
		line.Text = shorten(line.Text)
		return line
	})
	e.Survivors = head(e.Survivors, list)
	e.Name, e.Owner, e.Detail = shorten(e.Name), shorten(e.Owner), shorten(e.Detail)
	if e.Container != nil {
		container := *e.Container
		container.Labels = nil
		container.Image = shorten(container.Image)
		container.Command = mapped(head(container.Command, args), shorten)
		e.Container = &container
	}
	return e
}

func head[T any](list []T, n int) []T { return list[:min(len(list), n)] }

func mapped[T any](list []T, f func(T) T) []T {
	out := make([]T, len(list))
	for i, item := range list {
		out[i] = f(item)
	}
	return out
}

// shorten cuts a text to maxText bytes, between two characters.
func shorten(text string) string {
	if len(text) <= maxText {
		return text
	}
	end := maxText
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
