#!/bin/bash
# Each goal of `make help` installs what it needs: run in a Debian 12 of its own that has make, git and package sources only.
# Goals whose scripts take long (boots, benchmarks) only install and build here.
#
# from the environment: GOALS (default: all of make help but those that only remove or print)
WORK=${WORK:-build/soak/chroot}
. tests/system/lib.sh

slow='run run-kvm test test-nested soak bench' # RUN=: leaves their scripts out
GOALS=${GOALS:-$(sed -n 's/^#: make \([a-z._-]*\).*/\1/p' Makefile | grep -vxE 'help|clean|uninstall-boot')}

if [ "$(id -u)" -ne 0 ]; then
    skip 'each goal installs what it needs' 'a chroot needs root'
    done_testing
fi

work=$(realpath "$work")
check 'a clean Debian is made' tests/rig/debian.sh "$work/clean.tar" only make,git,ca-certificates
[ -r "$work/clean.tar" ] || done_testing
git ls-files -z -co --exclude-standard | tar -c --null --no-recursion -T - -f "$work/tree.tar"
mkdir "$work/archives"

# fresh: make $work/debian the clean Debian, with this tree in /tree.
fresh() {
    rm -rf "$work/debian"
    mkdir -p "$work/debian/tree/build"
    tar -xf "$work/clean.tar" -C "$work/debian"
    tar -xf "$work/tree.tar" -C "$work/debian/tree" --no-same-owner
    cp -L /etc/resolv.conf /etc/hosts "$work/debian/etc/"
    echo force-unsafe-io >"$work/debian/etc/dpkg/dpkg.cfg.d/unsafe-io"
    git init -q "$work/debian/tree"
    git -C "$work/debian/tree" add -A
    # The emulator takes minutes to build, and each goal that needs it has the packages of `make model`: built once.
    [ ! -e "$work/bochs" ] || cp "$work/bochs" "$work/debian/tree/build/bochs"
}

# inside COMMAND...: run it in the chroot's /tree; mounts and processes end with it. All chroots share downloaded packages.
inside() {
    # shellcheck disable=SC2016 # the inner shell expands these
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/tmp unshare --mount --pid --fork --kill-child bash -c '
        set -e
        mount --make-rprivate /
        mount -t proc proc "$1/proc"
        mount --rbind /dev "$1/dev"
        mount --bind "$2" "$1/var/cache/apt/archives"
        mkdir -p "$2/partial"
        root=$1
        shift 2
        exec chroot "$root" bash -c '\''cd /tree && exec "$@"'\'' inside "$@"' inside "$work/debian" "$work/archives" "$@" </dev/null
}

for goal in $GOALS; do
    script=
    case " $slow " in *" $goal "*) script=RUN=: ;; esac
    fresh
    # shellcheck disable=SC2086 # no word where script is empty
    if inside make "$goal" $script FUZZ_SECONDS=1 >"$work/$goal.log" 2>&1; then
        pass "make $goal"
    else
        fail "make $goal" "$(tail -n 20 "$work/$goal.log")"
    fi
    [ -e "$work/bochs" ] || cp "$work/debian/tree/build/bochs" "$work/bochs" 2>/dev/null
done
rm -rf "$work/debian" "$work"/*.tar "$work/archives" "$work/bochs"
done_testing
