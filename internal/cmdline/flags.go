package cmdline

import "strings"

// Words is a set of words. It is only read after it is made.
type Words map[string]bool

// WordsOf makes a set of the words of a text.
func WordsOf(text string) Words {
	set := Words{}
	for _, word := range strings.Fields(text) {
		set[word] = true
	}
	return set
}

// SkipFlags returns the arguments behind the leading flags. values are the flags that
// take the next argument. see is called for every flag and may be nil.
func SkipFlags(args []string, values Words, see func(flag, value string)) []string {
	return skip(args, flagTable{values: values}, see)
}

// flagTable says which flags take the next argument as their value: those in values
// or, if switches is given, all that are not in switches.
type flagTable struct {
	values, switches Words
}

func (f flagTable) takesValue(flag string) bool {
	if f.switches == nil {
		return f.values[flag]
	}
	key := strings.TrimLeft(flag, "-")
	return f.values[flag] || !strings.HasPrefix(key, "no-") && !f.switches[key]
}

func skip(args []string, table flagTable, see func(flag, value string)) []string {
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		flag, value, given := strings.Cut(args[0], "=")
		args = args[1:]
		if flag == "--" {
			return args
		}
		if !given && len(args) > 0 && table.takesValue(flag) {
			value, args = args[0], args[1:]
		}
		if see != nil {
			see(flag, value)
		}
	}
	return args
}
