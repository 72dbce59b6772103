package main

import (
	"fmt"
	"reflect"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/reaperd/reaperd/internal/discover"
	"github.com/reaperd/reaperd/internal/doctor"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/screen"
)

// schemaTold makes the schema of a command's JSON. A command that writes one of several documents gets a schema that
// allows each of them.
func schemaTold(name, title, about string) func() (*jsonschema.Schema, error) {
	return func() (*jsonschema.Schema, error) {
		documents := screen.Documents()[name]
		if len(documents) == 1 {
			return written(documents[0], title, about)
		}
		whole := &jsonschema.Schema{Title: title, Description: about}
		for _, kind := range documents {
			one, err := written(kind, "", "")
			if err != nil {
				return nil, err
			}
			whole.AnyOf = append(whole.AnyOf, one)
		}
		return whole, nil
	}
}

// ofStatus is the schema of what a daemon says of itself, that it does not answer, or that none runs.
func ofStatus() (*jsonschema.Schema, error) {
	whole, err := schemaTold("status", "reaperd status", "What `reaperd status -o json` writes: what the daemon says of itself, that it does not answer, or that none runs.")()
	if err != nil {
		return nil, err
	}
	for i, one := range whole.AnyOf {
		var running any = i+1 < len(whole.AnyOf)
		one.Properties["running"] = &jsonschema.Schema{Const: &running}
	}
	return whole, nil
}

func snapshot() (*jsonschema.Schema, error) {
	return written(reflect.TypeFor[inventory.Snapshot](), "reaperd snapshot", "What `reaperd snapshot` saves, and `reaperd scan --snapshot` reads. null is what was looked for and could not be read.")
}

func discovered() (*jsonschema.Schema, error) {
	return written(discover.DocumentType(), "reaperd discover", "What `reaperd discover -o json` writes.")
}

func symptoms() (*jsonschema.Schema, error) {
	return written(doctor.DocumentType(), "reaperd doctor", "What `reaperd doctor -o json` writes, with --self-test too.")
}

// written is the schema of a type as encoding/json writes it.
func written(kind reflect.Type, title, about string) (*jsonschema.Schema, error) {
	schema, err := jsonschema.ForType(kind, &jsonschema.ForOptions{TypeSchemas: typeSchemas()})
	if err != nil {
		return nil, err
	}
	schema.Title, schema.Description = title, about
	return schema, nil
}

// typeSchemas are the schemas of types whose fields do not show their JSON: facts that
// may be null, and words from a fixed list.
func typeSchemas() map[reflect.Type]*jsonschema.Schema {
	stdio, _ := jsonschema.For[inventory.Stdio](&jsonschema.ForOptions{TypeSchemas: wordSchemas()})
	all := wordSchemas()
	all[reflect.TypeFor[time.Time]()] = &jsonschema.Schema{Type: "string", Format: "date-time"}
	all[reflect.TypeFor[inventory.Fact[int]]()] = orNull(&jsonschema.Schema{Type: "integer"})
	all[reflect.TypeFor[inventory.Fact[uint64]]()] = orNull(&jsonschema.Schema{Type: "integer", Minimum: number(0)})
	all[reflect.TypeFor[inventory.Fact[float64]]()] = orNull(&jsonschema.Schema{Type: "number"})
	all[reflect.TypeFor[inventory.Fact[bool]]()] = orNull(&jsonschema.Schema{Type: "boolean"})
	all[reflect.TypeFor[inventory.Fact[[]int]]()] = orNull(&jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "integer"}})
	all[reflect.TypeFor[inventory.Fact[inventory.Stdio]]()] = orNull(stdio)
	return all
}

func orNull(schema *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{schema, {Type: "null"}}}
}

// wordSchemas are the schemas of types with a fixed list of words.
func wordSchemas() map[reflect.Type]*jsonschema.Schema {
	return map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[inventory.Status](): words(inventory.StatusOK, inventory.StatusPartial, inventory.StatusAbsent, inventory.StatusError),
		reflect.TypeFor[inventory.Kind](): words(inventory.KindPipe, inventory.KindSocket, inventory.KindNull, inventory.KindTTY,
			inventory.KindFile, inventory.KindClosed, inventory.KindUnknown),
		reflect.TypeFor[inventory.Peer](): words(inventory.PeerOpen, inventory.PeerClosed, inventory.PeerUnknown),
		reflect.TypeFor[graph.Kind]():     words(graph.KindServer, graph.KindGateway, graph.KindSession, graph.KindContainer),
		reflect.TypeFor[graph.Finding](): words(graph.FindingNone, graph.FindingOrphaned, graph.FindingDisconnected, graph.FindingRespawning,
			graph.FindingZombies, graph.FindingDuplicate, graph.FindingExited, graph.FindingAmbiguous, graph.FindingIdle),
		reflect.TypeFor[graph.Liveness]():  words(graph.LivenessUnknown, graph.LivenessLive, graph.LivenessGone),
		reflect.TypeFor[graph.OwnerKind](): words(graph.OwnerSession, graph.OwnerGateway, graph.OwnerProcess, graph.OwnerService),
		reflect.TypeFor[graph.Check](): words(graph.CheckAncestor, graph.CheckStdin, graph.CheckStdout, graph.CheckMemory, graph.CheckDeclared,
			graph.CheckService, graph.CheckClients, graph.CheckContainer, graph.CheckZombies, graph.CheckActivity),
		reflect.TypeFor[graph.Says](): words(graph.SaysSilent, graph.SaysOrphaned, graph.SaysOwned),
		reflect.TypeFor[graph.Guard](): words(graph.GuardSystem, graph.GuardFirst, graph.GuardSelf, graph.GuardForeign, graph.GuardSession,
			graph.GuardService, graph.GuardInUse, graph.GuardPinned, graph.GuardProtected, graph.GuardUnproven, graph.GuardRestarts, graph.GuardEngine,
			graph.GuardIncomplete, graph.GuardShapeOnly),
		reflect.TypeFor[policy.Mode]():   words(policy.ModeReport, policy.ModeEnforce),
		reflect.TypeFor[policy.Action](): words(policy.ActionReport, policy.ActionTerminate, policy.ActionRemove),
	}
}

func words[W ~string](all ...W) *jsonschema.Schema {
	values := make([]any, 0, len(all))
	for _, word := range all {
		values = append(values, fmt.Sprint(word)) // String, if the type has it
	}
	return &jsonschema.Schema{Type: "string", Enum: values}
}
