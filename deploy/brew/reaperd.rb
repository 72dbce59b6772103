# frozen_string_literal: true

# Reaps MCP servers and containers that no live agent session owns.
class Reaperd < Formula
  desc "Reaps MCP servers that no live agent session owns any more"
  homepage "https://github.com/reaperd/reaperd"
  license "Apache-2.0"
  head "https://github.com/reaperd/reaperd.git", branch: "main"

  depends_on "go" => :build

  def install
    ENV["CGO_ENABLED"] = "0"
    system "go", "build", *std_go_args(ldflags: "-s -w -X main.linkedVersion=#{version}"), "./cmd/reaperd"
    generate_completions_from_executable(bin/"reaperd", shell_parameter_format: :cobra)
    system bin/"reaperd", "man", "man"
    man1.install Dir["man/*.1"]
    doc.install "policies.yaml"
  end

  def caveats
    <<~EOS
      It judges by the built-in policy. To change a line of it:
        #{doc}/policies.yaml says how, in its first lines

      A service sees neither your shell's DOCKER_HOST nor its PATH. What it needs of
      them goes into #{ENV.fetch("HOMEBREW_USER_CONFIG_HOME", "#{Dir.home}/.homebrew")}/services/reaperd.env,
      one NAME=value a line.

      Whether it sees your processes as they are, it tries on some of its own:
        reaperd doctor --self-test

      "sudo brew services" runs it as root: for every user, with root's policy and
      engine, not yours. Without sudo it watches what is your own.
    EOS
  end

  # run stays up with a faulty policy and acts on nothing, so keeping it alive
  # is no restart loop. It ends well when it is told to, and where root's looks
  # after this user's servers: then it stays ended.
  service do
    run [opt_bin/"reaperd", "run"]
    keep_alive successful_exit: false
    environment_variables PATH: std_service_path_env
    working_dir HOMEBREW_PREFIX
    process_type :background
    log_path var/"log/reaperd.log"
    error_log_path var/"log/reaperd.log"
  end

  # First the real thing: children in known shapes are started, looked at, and
  # some of them ended. Then a saved host is replayed, for what no child can show:
  # a server whose client is gone, in two looks half a minute apart.
  test do
    assert_match version.to_s, shell_output("#{bin}/reaperd --version") unless head?
    system bin/"reaperd", "doctor", "--self-test"
    first = <<~JSON
      {
        "version": 1, "taken_at": "2026-01-02T10:00:00Z",
        "host": {"hostname": "mac", "os": "darwin", "boot_id": "b", "pid_namespace": "init", "uid": 501, "awake_seconds": 5000},
        "sources": [
          {"name": "processes", "status": "partial", "reason": "descriptors of 1 process of other users could not be read", "rows_missing": false},
          {"name": "docker", "status": "absent"}
        ],
        "processes": [
          {"pid": 1, "start": 1767340000000001, "ppid": 0, "pgid": 1, "sid": 1, "uid": 0, "state": "R", "comm": "launchd", "open_fds": null},
          {"pid": 81234, "start": 1767344400000007, "started_at": "2026-01-02T09:00:00Z", "ppid": 1, "pgid": 80411, "sid": 80411, "uid": 501,
           "user": "dev", "state": "R", "threads": 11, "comm": "node", "exe": "/opt/homebrew/bin/node",
           "argv": ["node", "/Users/dev/.npm/_npx/a/node_modules/.bin/mcp-server-filesystem", "/Users/dev"],
           "cwd": "/Users/dev", "tty": "ttys003", "open_fds": 24, "listening": false, "clients": 0,
           "memory_bytes": 52428800, "memory_kind": "footprint",
           "stdin": {"kind": "socket", "id": "socket:[9e3779b97f4a7c15]", "peer": "closed"},
           "stdout": {"kind": "socket", "id": "socket:[3c6ef372fe94f82a]", "peer": "closed"}}
        ],
        "containers": []
      }
    JSON
    (testpath/"first.json").write first
    (testpath/"second.json").write first.sub("T10:00:00Z", "T10:00:31Z").sub('"awake_seconds": 5000', '"awake_seconds": 5031')
    report = shell_output("#{bin}/reaperd scan --dry-run --exit-code -o json " \
                          "--snapshot first.json --snapshot second.json", 3)
    assert_match '"decision":"reap"', report.delete(" ")
    assert_match "orphaned-servers", report
  end
end
