package serve

import "embed"

// pageFiles are the daemon's page: three files that a browser gets as they are. The script lays out the
// account's JSON, which the daemon sends over the same socket.
//
//	index.html  what stays: the head, the search, the sheet of one thing
//	page.css    light, dark, a phone
//	page.js     follows the account of each look, and asks what is known of a thing
//
// The page loads nothing from other addresses and runs nothing but its own script; [pagePolicy] forbids that.
// What others have named gets into it as text alone. It only reads: nothing that acts is reachable from it.
//
//go:embed page
var pageFiles embed.FS

// pagePolicy is the Content-Security-Policy of the page.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

// pagePaths are where the files are served.
func pagePaths() []string { return []string{"/{$}", "/page.css", "/page.js"} }
