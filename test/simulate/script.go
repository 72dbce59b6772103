package simulate

import (
	"math/rand/v2"
	"time"
)

// Script is a whole history.
type Script struct {
	Seed   uint64
	Host   Host
	Strict bool // the policy that acts is the stricter one
	// Thorough tries every variation of the last look, and none of the others.
	Thorough bool
	Scenes   []Scene
	Steps    []Step
}

// Scene is one thing that goes on in the world from the start.
type Scene struct {
	ID   int
	Name string
	Seed uint64
	play func(w *world, r *rand.Rand, scene int)
}

// Step is an event, or a look.
type Step struct {
	Name   string
	Seed   uint64
	Scene  int
	happen func(w *world, r *rand.Rand, scene int)
	look   bool
}

// size is how many processes a world has at its start, about.
const size = 80

// Write makes the history of a seed.
func Write(seed uint64) Script {
	r := rand.New(rand.NewPCG(seed, 0))
	s := Script{Seed: seed, Strict: oneIn(r, 2)}
	if oneIn(r, 6) {
		s.Host.UID = users
	}
	if oneIn(r, 6) {
		s.Host.Away, s.Host.Skew = true, time.Duration(r.IntN(600)-300)*time.Second
	}
	s.castScenes(r)
	s.addSteps(r)
	return s
}

// castScenes adds scenes until the world has its size.
func (s *Script) castScenes(r *rand.Rand) {
	all := scenes()
	w := newWorld(s.Host)
	for len(w.processes) < size {
		chosen := pick(r, all...)
		next := Scene{ID: len(s.Scenes), Name: chosen.name, Seed: r.Uint64(), play: chosen.play}
		next.start(w)
		s.Scenes = append(s.Scenes, next)
	}
}

func (s Scene) start(w *world) { s.play(w, rand.New(rand.NewPCG(s.Seed, 1)), s.ID) }

// addSteps lets things happen between looks; the last looks see nothing new, so
// that what is proven by then has its time.
func (s *Script) addSteps(r *rand.Rand) {
	all := events()
	for range 4 + r.IntN(4) {
		for range 1 + r.IntN(6) {
			chosen := pick(r, all...)
			s.Steps = append(s.Steps, Step{Name: chosen.name, Seed: r.Uint64(), Scene: r.IntN(len(s.Scenes)), happen: chosen.happen})
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

func (s Step) random() *rand.Rand { return rand.New(rand.NewPCG(s.Seed, 2)) }
