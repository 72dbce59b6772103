package simulate

import "slices"

// Shrink leaves out of a script what its failure does not need: scenes with
// what happens in them, steps, and looks, as long as a failure of the same
// property about the same kind of thing is left. It returns that failure.
func (j *Judge) Shrink(s Script, f Failure) (Script, Failure) {
	fails := func(smaller Script) bool {
		_, failures := j.Play(smaller)
		i := slices.IndexFunc(failures, func(g Failure) bool { return g.Property == f.Property && g.Kind == f.Kind && g.Policy == f.Policy })
		if i >= 0 {
			f = failures[i]
		}
		return i >= 0
	}
	fails(s)
	if f.Property == GapAdds || f.Property == LifeAdds {
		if thorough := s.upTo(f.Look); fails(thorough) {
			s = thorough
		}
	}
	for before := -1; before != len(s.Scenes)+len(s.Steps); {
		before = len(s.Scenes) + len(s.Steps)
		s = dropScenes(s, fails)
		s = dropSteps(s, fails)
	}
	return s, f
}

// upTo is a script that ends with a look, of which it tries every variation.
func (s Script) upTo(look int) Script {
	s.Thorough = true
	for i, step := range s.Steps {
		if step.look {
			look--
		}
		if look == 0 {
			s.Steps = s.Steps[:i+1]
			break
		}
	}
	return s
}

func dropScenes(s Script, fails func(Script) bool) Script {
	for i := len(s.Scenes) - 1; i >= 0; i-- {
		smaller := s
		smaller.Scenes = slices.Delete(slices.Clone(s.Scenes), i, i+1)
		if fails(smaller) {
			s = smaller
		}
	}
	return s
}

func dropSteps(s Script, fails func(Script) bool) Script {
	for length := max(1, len(s.Steps)/2); length > 0; length /= 2 {
		for at := len(s.Steps) - length; at >= 0; at -= length {
			smaller := s
			smaller.Steps = slices.Delete(slices.Clone(s.Steps), at, at+length)
			if fails(smaller) {
				s = smaller
				at = min(at, len(s.Steps))
			}
		}
	}
	return s
}
