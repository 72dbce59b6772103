/*
 * Starts as many sleepers as the first argument says, one in as many as the
 * second says under the name of an MCP server and with a pipe as stdin and
 * stdout. With "hold" as a third argument the other ends of those pipes stay
 * open here; with "stray" one sleeper beside holds them. Prints a line when all
 * are there, and waits.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void become(int server) {
	char *plain[] = {"/usr/lib/some-service/bin/worker", "--config", "/etc/some-service/worker.conf",
		"--state", "/var/lib/some-service/worker/state", "--log-level", "info", "--listen", "unix", "--threads", "8", 0};
	char *mcp[] = {"node", "/home/dev/.npm/_npx/15b07286cbcc3329/node_modules/.bin/mcp-server-everything",
		"--option", "a value of some length to make it real", 0};
	char filler[1800];
	memset(filler, 'x', sizeof filler - 1);
	filler[sizeof filler - 1] = 0;
	memcpy(filler, "FILLER=", 7);
	char *environment[] = {"HOME=/home/dev", "PATH=/usr/local/bin:/usr/bin:/bin", "FARM=1", filler, 0};
	execve("/proc/self/exe", server ? mcp : plain, environment);
	_exit(1);
}

int main(int argc, char **argv) {
	if (getenv("FARM"))
		for (;;)
			pause();
	int count = argc > 1 ? atoi(argv[1]) : 0, every = argc > 2 ? atoi(argv[2]) : 20;
	int hold = argc > 3, stray = hold && strcmp(argv[3], "stray") == 0;
	int last = 2;
	for (int i = 0; i < count; i++) {
		int in[2], out[2], server = i % every == 0;
		if (server && (pipe(in) != 0 || pipe(out) != 0))
			return 1;
		pid_t pid = fork();
		if (pid < 0)
			return 1;
		if (pid == 0) {
			int null = open("/dev/null", O_RDWR);
			dup2(null, 0), dup2(null, 1), dup2(null, 2);
			if (server) {
				dup2(in[0], 0), dup2(out[1], 1);
				close(in[0]), close(in[1]), close(out[0]), close(out[1]);
			}
			become(server);
		}
		if (server) {
			close(in[0]), close(out[1]);
			if (hold)
				fcntl(in[1], F_SETFD, FD_CLOEXEC), fcntl(out[0], F_SETFD, FD_CLOEXEC), last = out[0];
			else
				close(in[1]), close(out[0]);
		}
	}
	if (stray && fork() == 0)
		for (;;)
			pause();
	for (int fd = 3; stray && fd <= last; fd++)
		close(fd);
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
