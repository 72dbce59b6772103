package cli

// WithFlag is a command line with one more flag, which stands before the "--" that ends
// the flags.
func WithFlag(args []string, flag string) []string {
	var before []string
	for i, arg := range args {
		if arg == "--" {
			return append(append(before, flag), args[i:]...)
		}
		before = append(before, arg)
	}
	return append(before, flag)
}
