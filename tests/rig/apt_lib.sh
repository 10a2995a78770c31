# shellcheck shell=bash
# Packages of another release than this machine's, from the same server as its own packages. Sourced.

# apt_of DIR RELEASE [ARCHITECTURE]: a separate apt configuration for this release only, of this machine's architecture or that
# one. DIR is absolute. Sets APT_CONFIG.
apt_of() {
    local site
    site=$(unset APT_CONFIG && apt-get indextargets --format "\$(SITE)" 'Created-By: Packages' 'Origin: Debian' |
        grep -v security | head -n 1)
    [ -n "$site" ] || return 1
    mkdir -p "$1"/{lists,cache}
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $site $2 main" >"$1/sources.list"
    cat >"$1/apt.conf" <<END
Dir::State::lists "$1/lists";
Dir::Cache "$1/cache";
Dir::Etc::sourcelist "$1/sources.list";
Dir::Etc::sourceparts "-";
APT::Sandbox::User "$(id -un)";
${3:+APT::Architecture "$3"; APT::Architectures "$3";}
END
    export APT_CONFIG=$1/apt.conf
    apt-get update -qq
}
