/* Ends its leading thread and lives on in another: state Z, two threads. */
#include <pthread.h>
#include <unistd.h>

static void *stay(void *unused) {
	for (;;)
		pause();
	return unused;
}

int main(void) {
	pthread_t thread;
	if (pthread_create(&thread, 0, stay, 0) != 0)
		return 1;
	pthread_exit(0);
}
