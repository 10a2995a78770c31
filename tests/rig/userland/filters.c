/*
 * Filters that the kernel compiles to machine code, runs and frees, ROUNDS times: socket filters, each another program
 * than the one before, and seccomp filters, which go with the child that has them. A new one may lie where an old one
 * lay.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int wrong;

/* Accept packets that begin with the byte `letter`; `nops` steps without effect come first, so that lengths differ. */
static void filter_attach(int fd, unsigned char letter, int nops)
{
    struct sock_filter code[64];
    unsigned short n = 0;

    for (int i = 0; i < nops; i++)
        code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_IMM, (unsigned)i);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 0);
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, letter, 0, 1);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, 0xffff);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, 0);
    const struct sock_fprog program = {n, code};
    wrong += setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) != 0;
}

/* How many of the 26 letters pass. */
static int letters_pass(const int *pair)
{
    char buffer[4];
    int passed = 0;

    for (char letter = 'a'; letter <= 'z'; letter++) {
        wrong += send(pair[0], &letter, 1, MSG_DONTWAIT) != 1;
        while (recv(pair[1], buffer, sizeof buffer, MSG_DONTWAIT) == 1)
            passed += buffer[0] == letter;
    }
    return passed;
}

/* A child whose getppid() fails with an error number of its own. */
static void seccomp_child(int error)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof code / sizeof code[0], code};
    int status;
    const pid_t child = fork();

    if (child == 0) {
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
            _exit(1);
        _exit(syscall(SYS_getppid) == -1 && errno == error && syscall(SYS_getpid) > 0 ? 0 : 2);
    }
    wrong += waitpid(child, &status, 0) != child || status != 0;
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 5;
    int pair[2], passed = 0;

    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair))
        return 1;
    for (int i = 0; i < rounds; i++) {
        filter_attach(pair[1], (unsigned char)('a' + i % 26), i * 7 % 50);
        passed += letters_pass(pair);
        if (i % 2) /* else the next one replaces it */
            wrong += setsockopt(pair[1], SOL_SOCKET, SO_DETACH_FILTER, &passed, sizeof passed) != 0;
        seccomp_child(i + 1);
    }
    printf("userland: filters, %d of %d letters passed, %d wrong\n", passed, 26 * rounds, wrong);
    return wrong != 0;
}
