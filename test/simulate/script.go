package simulate

import (
	"math/rand/v2"
	"slices"
	"time"
)

// Script is a whole history.
// The same script always makes the same history, and stays meaningful when scenes or steps are
// left out of it. It reads
//
//	seed 12, seen by user 1000, 3: session, 5: ring; then an agent is killed (3), look, look
//
// as: on the host of seed 12, of which a user's daemon sees what is that user's, there are a
// session and a ring of an agent and a server; an agent of scene 3 is killed; the daemon looks
// twice, and the last look goes wrong.
type Script struct {
	Seed   uint64
	Host   Host
	Strict bool // the policy that acts is the stricter one
	// Only is the manner whose scenes and events it is made of, beside plain ones; empty is all.
	Only manner
	// Thorough tries every variation of the last look, and none of the others.
	Thorough bool
	Scenes   []Scene
	Steps    []Step
}

// Scene is one thing that goes on in the world from the start.
type Scene struct {
	ID     int
	Manner manner
	Name   string
	Seed   uint64
	play   func(w *world, r *rand.Rand, scene int)
}

// Step is an event, or a look.
type Step struct {
	Name   string
	Manner manner
	Seed   uint64
	Scene  int
	fits   func(*process) bool
	happen func(w *world, r *rand.Rand, p *process)
	look   bool
}

// play lets a step happen, if there is somebody to whom it may.
func (s Step) play(w *world) {
	r, p := s.random(), &process{scene: s.Scene}
	w.manner = s.Manner
	if s.fits != nil {
		var found bool
		if p, found = w.choose(r, s.Scene, s.fits); !found {
			return
		}
	}
	s.happen(w, r, p)
	w.settle()
}

// size is how many processes a world has at its start, about; most how many scenes.
const size, most = 80, 30

// Write makes the history of a seed, of one manner if only names one.
func Write(seed uint64, only manner) Script {
	r := rand.New(rand.NewPCG(seed, 0))
	s := Script{Seed: seed, Only: only, Strict: oneIn(r, 2)}
	if oneIn(r, 6) {
		s.Host.UID = users
	}
	if oneIn(r, 6) {
		s.Host.Away, s.Host.Skew = true, time.Duration(r.IntN(600)-300)*time.Second
	} else {
		s.Host.Podman = oneIn(r, 8)
	}
	its, happens := s.cast()
	s.castScenes(r, its)
	s.addSteps(r, happens)
	return s
}

// cast are the scenes and events of the script's manner, those events as often as all plain ones
// together. Where it has no scenes of its own, they are sessions.
func (s *Script) cast() (its []scene, happens []event) {
	if s.Only == "" {
		return scenes(), events()
	}
	of := s.Only
	isOther := func(one scene) bool { return one.manner != of }
	if its = slices.DeleteFunc(scenes(), isOther); len(its) == 0 {
		of = sessions
		its = slices.DeleteFunc(scenes(), isOther)
	}
	isOwn := func(e event) bool { return e.manner == s.Only }
	happens = slices.DeleteFunc(events(), func(e event) bool { return !e.manner.isPlain() && !isOwn(e) })
	for i, e := range happens {
		if isOwn(e) {
			happens[i].often *= len(happens)
		}
	}
	return its, happens
}

// castScenes adds scenes until the world has its size.
func (s *Script) castScenes(r *rand.Rand, all []scene) {
	w := newWorld(s.Host)
	for len(w.processes) < size && len(s.Scenes) < most {
		one := chosen(r, all, func(one scene) int { return one.often })
		next := Scene{ID: len(s.Scenes), Manner: one.manner, Name: one.name, Seed: r.Uint64(), play: one.play}
		next.start(w)
		s.Scenes = append(s.Scenes, next)
	}
}

func (s Scene) start(w *world) {
	w.manner = s.Manner
	s.play(w, rand.New(rand.NewPCG(s.Seed, 1)), s.ID)
}

// addSteps lets things happen between looks; the last looks see nothing new, so
// that what is proven by then has its time.
func (s *Script) addSteps(r *rand.Rand, all []event) {
	for range 4 + r.IntN(4) {
		for range 2 + r.IntN(8) {
			one := chosen(r, all, func(one event) int { return one.often })
			s.Steps = append(s.Steps, s.stepOf(r, one))
		}
		for _, trouble := range troubles() {
			if oneIn(r, trouble.oneIn) {
				s.Steps = append(s.Steps, Step{Name: trouble.name, Seed: r.Uint64(), happen: trouble.happen})
			}
		}
		s.Steps = append(s.Steps, Step{Name: "look", Seed: r.Uint64(), look: true})
	}
	for range 3 {
		s.Steps = append(s.Steps, Step{Name: "look", Seed: r.Uint64(), look: true})
	}
}

// stepOf lets an event happen in a scene of its own manner, where there is one, most of
// the time. What comes about by it has the event's manner, or the scene's.
func (s *Script) stepOf(r *rand.Rand, e event) Step {
	step := Step{Name: e.name, Manner: e.manner, Seed: r.Uint64(), Scene: r.IntN(len(s.Scenes)), fits: e.fits, happen: e.happen}
	its := slices.DeleteFunc(slices.Clone(s.Scenes), func(one Scene) bool { return one.Manner != e.manner })
	if len(its) > 0 && !e.manner.isPlain() && !oneIn(r, 4) {
		step.Scene = pick(r, its...).ID
	}
	if e.manner.isPlain() {
		step.Manner = s.Scenes[step.Scene].Manner
	}
	return step
}

func (s Step) random() *rand.Rand { return rand.New(rand.NewPCG(s.Seed, 2)) }
