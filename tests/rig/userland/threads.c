/* Tasks of each kind that Linux has, each of which faults upon a read once it is called what it is called: threads with
 * names, a process that calls itself otherwise, a child that has its parent's memory (vfork), one with its own. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* A page that no thread has touched. */
static void fault(void)
{
    const volatile char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED || *page != 0)
        _exit(1);
}

static void *run(void *name)
{
    fault();
    prctl(PR_SET_NAME, name);
    fault();
    return NULL;
}

static void await(pid_t child)
{
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        exit(1);
}

int main(void)
{
    static char names[3][16] = {"first thread", "second thread", "x"};
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        if (pthread_create(&threads[i], NULL, run, names[i]) != 0)
            return 1;
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    fault();
    pid_t child = vfork();
    if (child == 0) {
        fault();
        _exit(0);
    }
    await(child);
    fault();
    prctl(PR_SET_NAME, "called otherwise, and at length");
    fault();
    child = fork();
    if (child == 0) {
        prctl(PR_SET_NAME, "(a child)");
        fault();
        _exit(0);
    }
    await(child);
    return 0;
}
