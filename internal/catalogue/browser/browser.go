// Package browser tells programs that are for a person from those that a program uses. A
// server opens an everyday browser for a login, an editor or an office program for its
// user, and that runs below the server with the user's work in it; reaperd never ends it.
// A browser that a program drives is the server's own.
package browser

import "strings"

// Is reports the executable of a web browser, by its name.
func Is(program string) bool {
	switch program {
	case "chrome", "google-chrome", "google-chrome-stable", "google-chrome-beta", "chromium", "chromium-browser",
		"headless_shell", "chrome-headless-shell", "msedge", "microsoft-edge", "microsoft-edge-stable", "brave", "brave-browser",
		"opera", "vivaldi", "vivaldi-bin", "firefox", "firefox-bin", "firefox-esr", "librewolf", "waterfox", "zen", "floorp",
		"epiphany", "konqueror", "falkon", "safari", "arc", "minibrowser":
		return true
	}
	return false
}

// IsDriven reports the arguments of a browser that a program drives: a pipe or port
// for commands, or a profile in a temporary folder (Playwright, Puppeteer, Selenium;
// Chrome DevTools Protocol, Juggler, Marionette, WebKit's inspector).
func IsDriven(args []string) bool {
	for i, arg := range args {
		flag, value, joined := strings.Cut(arg, "=")
		switch flag {
		case "--remote-debugging-pipe", "--remote-debugging-port", "--enable-automation", "--headless", "-headless",
			"-juggler", "-juggler-pipe", "--marionette", "-marionette", "--inspector-pipe":
			return true
		case "--user-data-dir", "--profile", "-profile":
			if !joined && i+1 < len(args) {
				value = args[i+1]
			}
			if isTemporary(value) {
				return true
			}
		}
	}
	return false
}

func isTemporary(folder string) bool {
	for _, parent := range []string{"/tmp/", "/var/tmp/", "/var/folders/", "/private/var/folders/", "/private/tmp/", "/dev/shm/"} {
		if strings.HasPrefix(folder, parent) {
			return true
		}
	}
	return false
}

// IsEveryday reports the command line of the first process of a person's own browser.
// The processes that it starts have a --type.
func IsEveryday(argv []string) bool {
	if len(argv) == 0 || !Is(strings.ToLower(argv[0][strings.LastIndexByte(argv[0], '/')+1:])) || IsDriven(argv[1:]) {
		return false
	}
	for _, arg := range argv[1:] {
		if strings.HasPrefix(arg, "--type=") || arg == "-contentproc" {
			return false
		}
	}
	return true
}

// IsForPerson reports a program that is used by a person alone, by its path: an editor, a
// viewer, an office program.
func IsForPerson(program string) bool {
	name := strings.ToLower(program[strings.LastIndexByte(program, '/')+1:])
	if viewers[name] || strings.Contains(program, ".app/Contents/MacOS/") && !strings.HasSuffix(program, "/Python") {
		return true
	}
	first := strings.IndexFunc(name, func(r rune) bool { return !('a' <= r && r <= 'z') })
	if first < 0 {
		first = len(name)
	}
	return applications[name[:first]]
}

// applications are known by the first letters of their names: Godot_v4.3-stable_linux.x86_64.
var applications = wordsOf("godot blender soffice libreoffice openoffice onlyoffice gimp inkscape krita freecad unity unityhub unrealeditor " +
	"figma obsidian audacity ardour kdenlive shotcut openshot darktable rawtherapee scribus calibre zotero texstudio lyx " +
	"openscad kicad librecad matlab rstudio octave wireshark dbeaver postman insomnia thunderbird evolution geany bluefish " +
	"notepadqq gnumeric abiword xournal xournalpp musescore ghidra")

// viewers are known by their whole names.
var viewers = wordsOf("vi vim nvim gvim view nano pico micro hx kak emacs emacsclient gedit kate kwrite mousepad xed pluma " +
	"gnome-text-editor subl sublime_text atom code codium idea pycharm webstorm goland clion rider android-studio studio " +
	"less more most xdg-open gio evince okular atril xreader eog gthumb gwenview feh display mpv vlc totem " +
	"nautilus dolphin thunar nemo pcmanfm xterm gnome-terminal gnome-terminal-server konsole xfce4-terminal alacritty kitty " +
	"wezterm wezterm-gui ghostty foot tilix terminator x-terminal-emulator gnome-calculator zenity kdialog yad")

func wordsOf(text string) map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		words[word] = true
	}
	return words
}
