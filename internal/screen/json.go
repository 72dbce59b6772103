package screen

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/journal"
)

// This file is the JSON for programs, version 1: within it keys are only added.
//
//	scan, sweep        an account, of a sweep with its outcomes
//	explain            a thing or session, a process that is none, or what is not here
//	history            the acts of a period; a line of a stream is one entry of the journal
//	pins               the pins
//	status             see status_json.go

// JSON writes a value for programs: its keys in order, and without characters that steer a terminal.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(documentOf(v)); err != nil {
		return nil, fmt.Errorf("write JSON: %w", err)
	}
	return human.EscapeJSON(b.Bytes()), nil
}

// documentOf is the document of a value.
func documentOf(v any) any {
	switch v := v.(type) {
	case *account.Plan:
		a := *v.Account
		a.Outcomes = []account.Act{}
		return &a
	case *account.Result:
		return v.Account
	case *account.Explanation:
		return explanationOf(v)
	case []account.Pin:
		return pinsDocument{account.Version, append([]account.Pin{}, v...)}
	case journal.Entry:
		return line{account.Version, v}
	}
	return v
}

type pinsDocument struct {
	Version int           `json:"version"`
	Pins    []account.Pin `json:"pins"`
}

// line is one line of a stream.
type line struct {
	Version int `json:"version"`
	journal.Entry
}

// explainedProcess is a process that is no target.
type explainedProcess struct {
	Version int `json:"version"`
	account.Process
	Target bool `json:"target"` // false
	account.Told
}

// explainedAbsence is what is not here.
type explainedAbsence struct {
	Version int `json:"version"`
	account.Absent
	Running bool `json:"running"` // false
	account.Told
}

func explanationOf(e *account.Explanation) any {
	switch {
	case e.Process != nil:
		return explainedProcess{Version: e.Version, Process: *e.Process, Told: e.Told}
	case e.Gone != nil:
		return explainedAbsence{Version: e.Version, Absent: *e.Gone, Told: e.Told}
	}
	return e
}

// Documents are the types of the documents, by the names of their schemas. One that has several is any of them.
func Documents() map[string][]reflect.Type {
	return map[string][]reflect.Type{
		"scan":         {reflect.TypeFor[account.Account]()},
		"explain":      {reflect.TypeFor[account.Explanation](), reflect.TypeFor[explainedProcess](), reflect.TypeFor[explainedAbsence]()},
		"history":      {reflect.TypeFor[account.History]()},
		"history-line": {reflect.TypeFor[line]()},
		"pins":         {reflect.TypeFor[pinsDocument]()},
		"status":       {reflect.TypeFor[daemonStatus](), reflect.TypeFor[silentStatus](), reflect.TypeFor[noStatus]()},
	}
}
