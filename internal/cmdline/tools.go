package cmdline

// IsTool reports everyday programs that take the names of servers and files as
// arguments and are no servers: editors, pagers, search and build tools, test
// runners, downloaders.
func IsTool(name string) bool { return tools[name] }

// IsFilter reports a program that only passes on what it reads, or writes it away.
func IsFilter(name string) bool { return filters[name] }

// WritesAway reports a filter that can write what it reads to somewhere else than its stdout.
func WritesAway(name string) bool { return writers[name] }

var writers = WordsOf("sed awk gawk mawk logger systemd-cat")

var filters = WordsOf("cat tee tac head tail grep egrep fgrep rg sed awk gawk mawk cut sort uniq tr jq ts logger systemd-cat pv")

var tools = WordsOf("" +
	// editors and viewers
	"vi vim nvim gvim vimdiff view nano pico micro helix hx kak emacs emacsclient ed ex joe ne mg code-server subl sublime_text atom gedit kate " +
	"kwrite mousepad xed notepad idea pycharm webstorm goland clion rider open xdg-open start less more most bat batcat man info tldr glow " +
	// files and text
	"cat tac head tail tee cp mv rm ln ls ll eza exa dir tree mkdir rmdir touch chmod chown chgrp stat file du df find fd fdfind locate grep egrep " +
	"fgrep zgrep rg ag ack sed awk gawk mawk cut sort uniq wc tr diff cmp patch xargs parallel jq yq xmllint column paste join split od xxd " +
	"hexdump strings md5sum sha256sum base64 tar gzip gunzip zip unzip xz zstd cpio rsync dd sync inotifywait entr watchexec watchman fswatch " +
	// processes and the shell's own
	"ps pgrep pkill kill killall top htop btop pstree lsof fuser watch strace ltrace gdb lldb perf time which whereis type command test [ echo " +
	"printf sleep yes seq date env printenv id whoami su sudo login ssh scp sftp mosh telnet nc ncat netcat socat curl wget http https xh aria2c " +
	"ping dig host nslookup ip ss netstat tcpdump journalctl systemctl launchctl service crontab at screen tmux zellij script asciinema tput clear " +
	// version control and releases
	"git hg svn jj gh glab tig lazygit gitk pre-commit lefthook husky lint-staged commitlint semantic-release changeset release-please goreleaser " +
	// builds and packages
	"make gmake cmake ninja meson bazel bazelisk buck2 gradle gradlew mvn mvnw ant sbt go gofmt gopls golangci-lint staticcheck dlv cargo rustc " +
	"rustfmt rust-analyzer gcc g++ clang cc c++ ld ar tsc tsserver tsup esbuild rollup vite webpack parcel swc babel turbo nx lerna rush " +
	"changesets nodemon pm2 forever concurrently npm-run-all run-p run-s rimraf npm npx pnpm yarn bun deno node pip pip3 uv pipx poetry conda brew " +
	"apt apt-get dpkg dnf yum apk pacman snap flatpak nix nix-build nix-shell gem bundle composer dotnet java javac kotlinc swift swiftc xcodebuild " +
	"docker-compose docker-buildx buildctl buildx buildah skopeo kaniko helm kubectl k9s terraform tofu ansible ansible-playbook vagrant packer act " +
	"smithery " +
	// tests and checks
	"pytest py.test tox nox unittest vitest jest mocha ava tap tape karma cypress playwright eslint prettier biome oxlint stylelint ruff black isort " +
	"flake8 pylint mypy pyright basedpyright shellcheck shfmt yamllint hadolint codespell typos knip depcheck c8 nyc coverage hyperfine k6 wrk ")
