/*
 * Starts as many sleepers as the first argument says, and a session of the name
 * "claude" with as many MCP servers as the second says. Who holds the other ends
 * of the servers' pipes is the third argument: "session" itself, "nobody", or a
 * "bystander" that the session started beside them. Prints a line when all are
 * there, and waits. It has to be found under the name claude too: in the folder
 * of the program, as a link or a copy.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static char filler[1800];

static void become(char **arguments) {
	char *environment[] = {"HOME=/home/dev", "PATH=/usr/local/bin:/usr/bin:/bin", "FARM=1", filler, 0};
	execve("/proc/self/exe", arguments, environment);
	_exit(1);
}

static void sleeper(void) {
	char *plain[] = {"/usr/lib/some-service/bin/worker", "--config", "/etc/some-service/worker.conf",
		"--state", "/var/lib/some-service/worker/state", "--log-level", "info", "--listen", "unix", "--threads", "8", 0};
	become(plain);
}

static void server(int number) {
	char option[32];
	snprintf(option, sizeof option, "/srv/project-%d", number);
	char *mcp[] = {"node", "/home/dev/.npm/_npx/15b07286cbcc3329/node_modules/.bin/mcp-server-filesystem", option, 0};
	become(mcp);
}

static void null_streams(void) {
	int null = open("/dev/null", O_RDWR);
	dup2(null, 0), dup2(null, 1), dup2(null, 2);
	if (null > 2)
		close(null);
}

/* Starts the servers, and returns the highest descriptor of an end that is held. */
static int serve(int count, int hold) {
	int last = 2;
	for (int i = 0; i < count; i++) {
		int in[2], out[2];
		if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0)
			_exit(1);
		if (fork() == 0) {
			dup2(in[0], 0), dup2(out[1], 1);
			server(i);
		}
		close(in[0]), close(out[1]);
		if (hold)
			last = out[0] > in[1] ? out[0] : in[1];
		else
			close(in[1]), close(out[0]);
	}
	return last;
}

static void session(int count, const char *holder) {
	int ready = dup(1);
	fcntl(ready, F_SETFD, FD_CLOEXEC);
	null_streams();
	int last = serve(count, strcmp(holder, "nobody") != 0);
	if (strcmp(holder, "bystander") == 0) {
		if (fork() == 0) {
			close(ready);
			for (;;)
				pause();
		}
		for (int fd = 3; fd <= last; fd++)
			if (fd != ready)
				close(fd);
	}
	if (write(ready, "r", 1) != 1)
		_exit(1);
	close(ready);
	for (;;)
		pause();
}

static void raise_limit(void) {
	struct rlimit files = {65536, 65536};
	setrlimit(RLIMIT_NOFILE, &files);
}

int main(int argc, char **argv) {
	memset(filler, 'x', sizeof filler - 1);
	memcpy(filler, "FILLER=", 7);
	if (getenv("FARM"))
		for (;;)
			pause();
	raise_limit();
	if (getenv("SESSION") && argc > 3)
		session(atoi(argv[2]), argv[3]);
	int count = argc > 1 ? atoi(argv[1]) : 0;
	for (int i = 0; i < count; i++)
		if (fork() == 0) {
			null_streams();
			sleeper();
		}
	int ready[2];
	char path[4096], done;
	if (argc > 3 && atoi(argv[2]) > 0 && pipe2(ready, O_CLOEXEC) == 0) {
		snprintf(path, sizeof path, "%.*s/claude", (int)(strrchr(argv[0], '/') - argv[0]), argv[0]);
		if (fork() == 0) {
			dup2(ready[1], 1);
			setenv("SESSION", "1", 1);
			execl(path, "claude", "-p", argv[2], argv[3], (char *)0);
			_exit(1);
		}
		close(ready[1]);
		if (read(ready[0], &done, 1) != 1)
			return 1;
	}
	puts("ready");
	fflush(stdout);
	null_streams(); // whoever waits for the line is nothing to the world
	for (;;)
		pause();
}
