package docker

import (
	"regexp"
	"strings"
	"sync"

	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/inventory"
)

// An engine that is given no name for a container makes one of two words. Docker and podman
// have the same words (github.com/docker/docker/pkg/namesgenerator).
const (
	firstWords = "" +
		"admiring adoring affectionate agitated amazing angry awesome beautiful blissful bold boring brave busy charming " +
		"clever compassionate competent condescending confident cool cranky crazy dazzling determined distracted dreamy eager " +
		"ecstatic elastic elated elegant eloquent epic exciting fervent festive flamboyant focused friendly frosty funny " +
		"gallant gifted goofy gracious great happy hardcore heuristic hopeful hungry infallible inspiring intelligent " +
		"interesting jolly jovial keen kind laughing loving lucid magical modest musing mystifying naughty nervous nice nifty " +
		"nostalgic objective optimistic peaceful pedantic pensive practical priceless quirky quizzical recursing relaxed " +
		"reverent romantic sad serene sharp silly sleepy stoic strange stupefied suspicious sweet tender thirsty trusting " +
		"unruffled upbeat vibrant vigilant vigorous wizardly wonderful xenodochial youthful zealous zen"
	secondWords = "" +
		"agnesi albattani allen almeida antonelli archimedes ardinghelli aryabhata austin babbage banach banzai bardeen bartik " +
		"bassi beaver bell benz bhabha bhaskara black blackburn blackwell bohr booth borg bose bouman boyd brahmagupta " +
		"brattain brown buck burnell cannon carson cartwright carver cerf chandrasekhar chaplygin chatelet chatterjee chaum " +
		"chebyshev clarke cohen colden cori cray curie curran darwin davinci dewdney dhawan diffie dijkstra dirac driscoll " +
		"dubinsky easley edison einstein elbakyan elgamal elion ellis engelbart euclid euler faraday feistel fermat fermi " +
		"feynman franklin gagarin galileo galois ganguly gates gauss germain goldberg goldstine goldwasser golick goodall " +
		"gould greider grothendieck haibt hamilton haslett hawking heisenberg hellman hermann herschel hertz heyrovsky hodgkin " +
		"hofstadter hoover hopper hugle hypatia ishizaka jackson jang jemison jennings jepsen johnson joliot jones kalam " +
		"kapitsa kare keldysh keller kepler khayyam khorana kilby kirch knuth kowalevski lalande lamarr lamport leakey leavitt " +
		"lederberg lehmann lewin lichterman liskov lovelace lumiere mahavira margulis matsumoto maxwell mayer mccarthy " +
		"mcclintock mclaren mclean mcnulty meitner mendel mendeleev meninsky merkle mestorf mirzakhani montalcini moore morse " +
		"moser murdock napier nash neumann newton nightingale nobel noether northcutt noyce panini pare pascal pasteur payne " +
		"perlman pike poincare poitras proskuriakova ptolemy raman ramanujan rhodes ride ritchie robinson roentgen rosalind " +
		"rubin saha sammet sanderson satoshi shamir shannon shaw shirley shockley shtern sinoussi snyder solomon spence " +
		"stonebraker sutherland swanson swartz swirles taussig tesla tharp thompson torvalds tu turing varahamihira vaughan " +
		"villani visvesvaraya volhard wescoff wilbur wiles williams williamson wilson wing wozniak wright wu yalow yonath " +
		"zhukovsky"
)

var engineWords = sync.OnceValues(func() (first, second cmdline.Words) {
	return cmdline.WordsOf(firstWords), cmdline.WordsOf(secondWords)
})

// oneOffName is the name that Compose gives what `docker compose run` makes.
var oneOffName = regexp.MustCompile(`[-_]run[-_][0-9a-f]{12}$`)

// isGivenName reports a name that a person or a program has thought of, and by which somebody
// may come back to the container.
func isGivenName(name string, labels map[string]string) inventory.Fact[bool] {
	if name == "" {
		return inventory.Fact[bool]{}
	}
	firsts, seconds := engineWords()
	first, second, _ := strings.Cut(name, "_")
	made := firsts[first] && seconds[strings.TrimRight(second, "0123456789")]
	return inventory.Known(!made && !(cmdline.IsOneOff(labels) && oneOffName.MatchString(name)))
}
