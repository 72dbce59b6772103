package discover

import (
	"cmp"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/reaperd/reaperd/internal/inventory"
)

// Server is one entry of a client's configuration.
type Server struct {
	Name string `json:"name"`
	// Command and Args start it; a server that is only spoken to has a URL.
	Command string   `json:"command,omitempty"`
	Args    []string `json:"args,omitempty"`
	URL     string   `json:"url,omitempty"`
	// Disabled says that the file switches it off: the client does not start it. One that was
	// switched on earlier may still run.
	Disabled bool `json:"disabled,omitempty"`
	// File is where it was found, Client whose format that is.
	File   string `json:"file"`
	Client string `json:"client"`
	// Folder is the folder at or below which a relative command's working directory
	// must lie: the project of a project's file, the home for a user's file.
	Folder string `json:"folder,omitempty"`
	// Project marks one of a project's file: it is a stranger's word, as whatever is in a repository.
	Project bool `json:"project,omitempty"`
	// Home is the value of ~ and $HOME in it; "" if that is not known.
	Home string `json:"home,omitempty"`
	// Owner is the user of the configuration. Only that user's processes can match;
	// if it is not recorded, any user's can.
	Owner inventory.Fact[int] `json:"owner,omitzero"`
}

// Set is everything that is configured. The zero value is empty.
type Set struct {
	servers []Server
	files   []string
	faults  []Warning
	index   map[string][]candidate // by the base name of the program
	ports   map[int][]*Server      // of loopback URLs
	uses    []containerUse
}

// NewSet makes a set of servers found in files, without faults. files may contain names
// without servers. Equal entries count once.
func NewSet(servers []Server, files []string) Set {
	set := Set{servers: slices.Clone(servers), files: slices.Compact(slices.Sorted(slices.Values(files)))}
	slices.SortStableFunc(set.servers, compare)
	set.servers = slices.CompactFunc(set.servers, func(a, b Server) bool { return compare(a, b) == 0 })
	set.index = index(set.servers)
	set.ports, set.uses = ports(set.servers), containerUses(set.servers)
	return set
}

// Equal reports that two sets hold the same servers, found in the same files.
func (s Set) Equal(other Set) bool {
	same := func(a, b Server) bool { return compare(a, b) == 0 }
	return slices.Equal(s.files, other.files) && slices.EqualFunc(s.servers, other.servers, same)
}

// withFaults is the set with what could not be used, each fault once.
func (s Set) withFaults(faults []Warning) Set {
	s.faults = slices.Compact(slices.SortedFunc(slices.Values(faults), compareWarnings))
	return s
}

func compareWarnings(a, b Warning) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Text, b.Text))
}

// compare orders servers by the place where they were found, then by everything else,
// so that a set does not depend on the order of reading.
func compare(a, b Server) int {
	return cmp.Or(
		cmp.Compare(a.File, b.File), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Folder, b.Folder),
		cmp.Compare(a.Client, b.Client), cmp.Compare(a.Owner.Or(-1), b.Owner.Or(-1)),
		cmp.Compare(a.Command, b.Command), slices.Compare(a.Args, b.Args),
		cmp.Compare(a.URL, b.URL), cmp.Compare(a.Home, b.Home),
		cmp.Compare(strconv.FormatBool(a.Disabled), strconv.FormatBool(b.Disabled)),
	)
}

// Union is everything in these sets.
func Union(sets ...Set) Set {
	var servers []Server
	var files []string
	var faults []Warning
	for _, set := range sets {
		servers = append(servers, set.servers...)
		files = append(files, set.files...)
		faults = append(faults, set.faults...)
	}
	return NewSet(servers, files).withFaults(faults)
}

// Servers are the configured servers in the order of their files and names.
func (s Set) Servers() []Server { return slices.Clone(s.servers) }

// Files are the files that were used, sorted, including those without servers.
func (s Set) Files() []string { return slices.Clone(s.files) }

// Faults say which files and folders were not used at the last look, as a whole or in
// part, and why, sorted. A file of which a part was used is one of [Set.Files], too.
func (s Set) Faults() []Warning { return slices.Clone(s.faults) }

func ports(servers []Server) map[int][]*Server {
	found := map[int][]*Server{}
	for i := range servers {
		for _, address := range addresses(servers[i]) {
			if _, port, ok := loopback(address); ok {
				found[port] = append(found[port], &servers[i])
			}
		}
	}
	return found
}

// addresses are the URLs of a server: its own, and the one that a bridge such as `npx
// mcp-remote URL` gets.
func addresses(s Server) []string {
	if s.URL != "" {
		return []string{s.URL}
	}
	bridge := slices.IndexFunc(s.Args, func(arg string) bool {
		return arg == "mcp-remote" || strings.HasPrefix(arg, "mcp-remote@")
	})
	if bridge < 0 || bridge+1 >= len(s.Args) {
		return nil
	}
	return s.Args[bridge+1 : bridge+2]
}

// loopback is the host and port of an http or ws address on this machine.
func loopback(address string) (host string, port int, ok bool) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "", 0, false
	}
	host = strings.ToLower(u.Hostname())
	ip := net.ParseIP(host)
	here := host == "localhost" || strings.HasSuffix(host, ".localhost") || ip.IsLoopback() || ip.IsUnspecified()
	port = defaultPort(u.Scheme)
	if u.Port() != "" {
		port, _ = strconv.Atoi(u.Port())
	}
	return host, port, here && port > 0 && port < 1<<16
}

// defaultPort is the port of a scheme; 0 is none that MCP is spoken over.
func defaultPort(scheme string) int {
	switch strings.ToLower(scheme) {
	case "http", "ws":
		return 80
	case "https", "wss":
		return 443
	}
	return 0
}
