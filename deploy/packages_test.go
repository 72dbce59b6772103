package deploy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// content is one file of a package.
type content struct {
	Src, Dst, Type, Packager string
	FileInfo                 struct{ Mode int } `yaml:"file_info"`
}

// packed is as much of an nfpm configuration as both files have.
type packed struct {
	Section, Priority, Maintainer, Homepage, License, Description string
	Contents                                                      []content
	Overrides                                                     map[string]struct {
		Suggests []string
		Scripts  map[string]string
	}
}

// TestBothWaysOfPackingPackTheSame compares `make dist` with a release.
func TestBothWaysOfPackingPackTheSame(t *testing.T) {
	dist := parse[packed](t, "packages/nfpm.yaml")
	release := parse[struct{ Nfpms []packed }](t, "../.goreleaser.yaml").Nfpms[0]
	if dist.Description != release.Description || dist.Maintainer != release.Maintainer || dist.License != release.License ||
		dist.Homepage != release.Homepage || dist.Section != release.Section || dist.Priority != release.Priority {
		t.Error("they say different things of the package")
	}
	for format, override := range dist.Overrides {
		if other := release.Overrides[format].Suggests; !slices.Equal(override.Suggests, other) {
			t.Errorf("%s suggests %v and %v", format, override.Suggests, other)
		}
		for when, script := range override.Scripts {
			if other := release.Overrides[format].Scripts[when]; other != script {
				t.Errorf("%s of %s: %s and %s", when, format, script, other)
			}
		}
	}
	lines := func(contents []content, stage string) []string {
		var all []string
		for _, c := range contents {
			if c.Dst == "/usr/bin/reaperd" {
				continue // goreleaser packs what it built
			}
			all = append(all, strings.Join([]string{strings.Replace(c.Src, stage, "STAGE", 1), c.Dst, c.Type, c.Packager}, " "))
		}
		slices.Sort(all)
		return all
	}
	if a, b := lines(dist.Contents, "${STAGE}"), lines(release.Contents, "dist-stage"); !slices.Equal(a, b) {
		t.Errorf("contents differ:\n%s\n\n%s", strings.Join(a, "\n"), strings.Join(b, "\n"))
	}
}

// TestWhateverBuildsAnImageOrAPackageBuildsTimeZonesIn holds that TZ= means
// something where there are no zone files, as in an image FROM scratch.
func TestWhateverBuildsAnImageOrAPackageBuildsTimeZonesIn(t *testing.T) {
	for _, build := range parse[struct {
		Builds []struct {
			ID   string
			Tags []string
		}
	}](t, "../.goreleaser.yaml").Builds {
		if !slices.Contains(build.Tags, "timetzdata") {
			t.Errorf("the build %s of a release has the tags %v", build.ID, build.Tags)
		}
	}
	for _, name := range []string{"image/build.sh", "image/Dockerfile", "packages/build.sh"} {
		_, command, found := strings.Cut(string(read(t, name)), " build -trimpath ")
		command, _, _ = strings.Cut(command, "./cmd/reaperd")
		if !found || !strings.Contains(command, "-tags timetzdata ") {
			t.Errorf("%s builds with %q", name, command)
		}
	}
}

// TestWhatBuildsAnImageGivesEachOfItsLabels compares the arguments that the
// Dockerfile takes with those that are passed.
func TestWhatBuildsAnImageGivesEachOfItsLabels(t *testing.T) {
	base, _, _ := strings.Cut(string(read(t, "image/Dockerfile")), "AS host")
	args := regexp.MustCompile(`(?m)^ARG ([A-Z]+)=`).FindAllStringSubmatch(base, -1)
	if len(args) != 3 {
		t.Fatalf("the image takes %v", args)
	}
	page := string(read(t, "image/README.md"))
	if !strings.Contains(page, "--push -t REGISTRY/reaperd .") {
		t.Error("the page builds for two platforms and keeps neither")
	}
	for _, arg := range args {
		if !strings.Contains(page, "--build-arg "+arg[1]+`="$(`) {
			t.Errorf("the page builds without %s", arg[1])
		}
		for _, image := range parse[struct {
			Dockers []struct {
				ID    string
				Flags []string `yaml:"build_flag_templates"`
			}
		}](t, "../.goreleaser.yaml").Dockers {
			if !slices.ContainsFunc(image.Flags, func(flag string) bool { return strings.HasPrefix(flag, "--build-arg="+arg[1]+"={{") }) {
				t.Errorf("a release builds %s without %s", image.ID, arg[1])
			}
		}
	}
}

// TestTheImageSaysWhenItsSourcesWereMade runs the builder with an engine that
// only says what it is asked, and a compiler that compiles nothing.
func TestTheImageSaysWhenItsSourcesWereMade(t *testing.T) {
	compiler := tool(t, "go", "any system")
	folder := t.TempDir()
	for name, text := range map[string]string{
		"docker": "#!/bin/sh\nprintf '%s\\n' \"$@\"\n",
		"go":     "#!/bin/sh\n[ \"$1\" = build ] || exec '" + compiler + "' \"$@\"\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", folder+":"+os.Getenv("PATH"))
	t.Setenv("GO", filepath.Join(folder, "go"))
	t.Setenv("SOURCE_DATE_EPOCH", "1767225600")
	t.Setenv("VERSION", "0.1.0")
	asked := strings.Split(run(t, "image/build.sh", "reaperd:test"), "\n")
	for _, want := range []string{"VERSION=0.1.0", "CREATED=2026-01-01T00:00:00Z"} {
		if !slices.Contains(asked, want) {
			t.Errorf("the engine is not told %s:\n%s", want, strings.Join(asked, "\n"))
		}
	}
}

// TestThePolicyIsTheOnlyFileThatUpgradesLeave holds that nothing else freezes
// what was shipped, and that every file that is packed is there.
func TestThePolicyIsTheOnlyFileThatUpgradesLeave(t *testing.T) {
	var kept []string
	for _, c := range parse[packed](t, "packages/nfpm.yaml").Contents {
		if strings.HasPrefix(c.Type, "config") {
			kept = append(kept, c.Dst)
		}
		if strings.HasPrefix(c.Src, "${STAGE}") {
			continue
		}
		if _, err := os.Stat(filepath.Join("..", c.Src)); err != nil {
			t.Error(err)
		}
	}
	if !slices.Equal(kept, []string{"/etc/reaperd/policies.yaml"}) {
		t.Errorf("kept are %v", kept)
	}
}

func TestTheScriptsAreShell(t *testing.T) {
	sh := tool(t, "sh", "any system")
	scripts, err := filepath.Glob("packages/*/p*")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("*/*.sh")
	if err != nil {
		t.Fatal(err)
	}
	for _, script := range append(scripts, more...) {
		run(t, sh, "-n", script)
	}
}

func TestGoreleaserTakesItsConfiguration(t *testing.T) {
	slow(t)
	goreleaser := goreleaser(t)
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, ".goreleaser.yaml"), read(t, "../.goreleaser.yaml"), 0o644); err != nil {
		t.Fatal(err)
	}
	git := tool(t, "git", "any system")
	runIn(t, folder, git, "init", "-q")
	runIn(t, folder, git, "remote", "add", "origin", "https://github.com/reaperd/reaperd.git")
	runIn(t, folder, goreleaser, "check", "--quiet")
}

// goreleaserVersion is the one that is built where there is none.
const goreleaserVersion = "v2.12.7"

func goreleaser(t *testing.T) string {
	t.Helper()
	if path, err := exec.LookPath("goreleaser"); err == nil {
		return path
	}
	folder := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "go", "install", "github.com/goreleaser/goreleaser/v2@"+goreleaserVersion)
	cmd.Env = append(os.Environ(), "GOBIN="+folder)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("needs goreleaser, which could not be built: %v\n%s", err, said)
	}
	return filepath.Join(folder, "goreleaser")
}

// sources copies what the packages are built from, so that it stays the same
// and lies somewhere else each time.
func sources(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	tar := tool(t, "tar", "any system")
	run(t, "sh", "-c", `"$0" -C .. --exclude=./.git --exclude=./bin --exclude=./dist -cf - . | "$0" -C "$1" -xf -`, tar, folder)
	return folder
}

// dist builds the deb and the rpm in a copy of the sources.
func dist(t *testing.T, sources, version string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(sources, "deploy/packages/build.sh"), filepath.Join(sources, "dist"))
	cmd.Env = append(os.Environ(), "VERSION="+version, "SOURCE_DATE_EPOCH=1767225600")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build packages: %v\n%s", err, said)
	}
	return filepath.Join(sources, "dist")
}

func TestTwoBuildsOfThePackagesAreTheSameBytes(t *testing.T) {
	slow(t)
	tree := sources(t)
	first := dist(t, tree, "0.1.0")
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	run(t, "cp", "-r", tree, elsewhere)
	if err := os.RemoveAll(filepath.Join(elsewhere, "dist")); err != nil {
		t.Fatal(err)
	}
	second := dist(t, elsewhere, "0.1.0")
	names, err := filepath.Glob(filepath.Join(first, "*"))
	if err != nil || len(names) != 3 {
		t.Fatalf("built %v (%v), want deb, rpm and checksums", names, err)
	}
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d bytes", info.Name(), info.Size())
		run(t, "cmp", name, filepath.Join(second, filepath.Base(name)))
	}
}

// TestTheLicencesOfWhatIsLinkedAreInOneFile: whoever passes a program on has to pass on
// the licences of its libraries.
func TestTheLicencesOfWhatIsLinkedAreInOneFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "stage", "licences.txt.gz")
	run(t, "packages/licences.sh", file)
	text := run(t, tool(t, "gzip", "any system"), "-dc", file)
	linked := run(t, tool(t, "go", "any system"), "list", "-deps", "-f", "{{with .Module}}{{if .Version}}{{.Path}} {{.Version}}{{end}}{{end}}", "../cmd/reaperd")
	for _, module := range append(strings.Split(strings.TrimSpace(linked), "\n"), "Go "+runtime.Version()) {
		_, licence, found := strings.Cut(text, "\n======== "+module+": ")
		licence, _, _ = strings.Cut(licence, "\n======== ")
		if module != "" && (!found || len(licence) < 500) {
			t.Errorf("no licence of %s: %q", module, licence)
		}
	}
}

// TestALaterBuildIsAnUpgradeAndAloneInItsFolder builds two commits before the first
// tag, with a compiler and a packager that only say what they are asked.
func TestALaterBuildIsAnUpgradeAndAloneInItsFolder(t *testing.T) {
	tree := sources(t)
	fake := filepath.Join(t.TempDir(), "go")
	const text = `#!/bin/sh
case "$1 $2" in
"env GOROOT") pwd; exit ;; # a folder with a licence
"env "*) echo amd64; exit ;;
esac
case $1 in
build) while [ "$1" != -o ]; do shift; done
	printf '#!/bin/sh\n[ "$1" != man ] || : >"$2/reaperd-scan.1"\n' >"$2"; chmod 755 "$2" ;;
run) while [ "$1" != --packager ]; do shift; done
	: >"dist/reaperd_$VERSION.$2" ;;
esac
`
	if err := os.WriteFile(fake, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GO", fake)
	t.Setenv("VERSION", "abc1234") // as git describes a commit without a tag
	for _, commit := range []struct{ epoch, time string }{{"1767225600", "20260101000000"}, {"1767225661", "20260101000101"}} {
		t.Setenv("SOURCE_DATE_EPOCH", commit.epoch)
		runIn(t, tree, "deploy/packages/build.sh")
		built, want := filesBelow(t, filepath.Join(tree, "dist")), "/reaperd_0.0.0-"+commit.time+".gabc1234."
		if !slices.Equal(built, []string{"/checksums.txt", want + "deb", want + "rpm"}) {
			t.Errorf("built %v, want %sdeb and rpm", built, want)
		}
	}
}

// TestTheDebInARootOfItsOwn installs, runs, upgrades, removes and purges it.
func TestTheDebInARootOfItsOwn(t *testing.T) {
	slow(t)
	tool(t, "debootstrap", "Debian: debootstrap")
	tool(t, "tini", "Debian: tini")
	if os.Getuid() != 0 {
		t.Skip("needs root, for a root file system and a PID namespace")
	}
	tree := sources(t)
	old, new := dist(t, tree, "0.1.0"), filepath.Join(t.TempDir(), "new")
	run(t, "cp", "-r", old, filepath.Join(filepath.Dir(new), "old"))
	run(t, "sh", "-c", `rm -r "$1"`, "-", old)
	upgraded := dist(t, tree, "0.2.0")
	said := run(t, "packages/test.sh", filepath.Join(filepath.Dir(new), "old", "reaperd_0.1.0_"+debArch(t)+".deb"),
		filepath.Join(upgraded, "reaperd_0.2.0_"+debArch(t)+".deb"))
	t.Log("\n" + said)
}

func debArch(t *testing.T) string {
	t.Helper()
	return strings.TrimSpace(run(t, tool(t, "dpkg", "Debian"), "--print-architecture"))
}
