package serve

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"time"

	"github.com/reaperd/reaperd/internal/human"
)

//go:embed page.html
var pageText string

//go:embed page.css
var pageStyle string

// page is the daemon's page: no script, nothing from elsewhere.
type page struct {
	template *template.Template
	policy   string // its Content-Security-Policy: this style and nothing else
}

func newPage() *page {
	functions := template.FuncMap{"bytes": human.Bytes, "size": sizeText, "time": clockText, "from": untilText, "count": human.Count, "short": shortHash}
	sum := sha256.Sum256([]byte(pageStyle))
	return &page{
		template: template.Must(template.New("page").Funcs(functions).Parse(pageText)),
		policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
			"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	}
}

// maxRows is how many pending things the page lists.
const maxRows = 50

// view is what the page shows.
type view struct {
	State
	Now   time.Time
	Style template.CSS
	Rows  []Pending // of what is pending, the first
	More  int       // and so many more
}

func (p *page) render(state State, now time.Time) ([]byte, error) {
	shown := view{State: state, Now: now, Style: template.CSS(pageStyle), Rows: state.Pending}
	if more := len(shown.Rows) - maxRows; more > 0 {
		shown.Rows, shown.More = shown.Rows[:maxRows], more
	}
	var document bytes.Buffer
	if err := p.template.Execute(&document, shown); err != nil {
		return nil, err
	}
	return document.Bytes(), nil
}

// sizeText is a size that is not known where it is 0.
func sizeText(n uint64) string {
	if n == 0 {
		return "–"
	}
	return human.Bytes(n)
}

func clockText(at time.Time) string {
	if at.IsZero() {
		return "–"
	}
	return human.Moment(at.Local())
}

// untilText is the time from one moment to a later one.
func untilText(from, to time.Time) string {
	d := to.Sub(from).Round(time.Second)
	if d <= 0 {
		return "now"
	}
	return human.Span(d)
}

func shortHash(hash string) string { return hash[:min(len(hash), 12)] }
