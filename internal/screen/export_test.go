package screen

import (
	"testing"

	"github.com/reaperd/reaperd/internal/account"
)

// Told is a world as a reader is told it.
type Told struct {
	Name    string
	Account *account.Account
	Plan    func() (*account.Plan, *account.Result)
	Explain func(word string) (*account.Explanation, error)
}

// Worlds are those of testdata, for the tests of screens outside this package.
func Worlds(t *testing.T) (worlds []Told) {
	for _, s := range scenes(t) {
		worlds = append(worlds, told(s))
	}
	return worlds
}

// World is the one of that name.
func World(t *testing.T, name string) Told { return told(scenesOf(t, name)[0]) }

func told(s *scene) Told {
	return Told{
		Name: s.name, Account: s.account(),
		Plan:    func() (*account.Plan, *account.Result) { plan, result, _ := s.sweep(); return plan, result },
		Explain: func(word string) (*account.Explanation, error) { return account.ExplainOf(s.look, word, s.entries) },
	}
}
