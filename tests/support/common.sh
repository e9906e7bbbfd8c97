# Functions of tests/run and tests/soak. Both set `self`, their name, and `work`, a folder for their files; `profile` is the one that
# cargo builds with, if it is not the usual one. A variable of the user with this name means nothing.
profile=

say() { printf '%s: %s\n' "$self" "$*"; }

# Installs missing packages with apt.
install_missing() {
    local packages=() need command package
    local tools=(cc:gcc mosquitto:mosquitto mosquitto_sub:mosquitto-clients openssl:openssl dbus-daemon:dbus-daemon
        systemd-analyze:systemd kill:procps gzip:gzip faketime:faketime)
    # The browser has 250 MB.
    [[ -n ${FLAGFALL_NO_BROWSER:-} ]] || tools+=(chromium-headless-shell:chromium-headless-shell chromedriver:chromium-driver)
    for need in "${tools[@]}"; do
        command=${need%%:*} package=${need#*:}
        PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin type -P "$command" >/dev/null || packages+=("$package")
    done
    [[ -e /usr/include/stdio.h ]] || packages+=(libc6-dev)
    if ((${#packages[@]})); then
        if ! command -v apt-get >/dev/null; then
            say "these are missing, and there is no apt-get to install them: ${packages[*]}"
            exit 1
        fi
        local root=()
        if ((EUID != 0)); then
            if ! command -v sudo >/dev/null; then
                say "these are missing: ${packages[*]}; install them as root, or install sudo"
                exit 1
            fi
            root=(sudo)
        fi
        say "installing ${packages[*]}"
        "${root[@]}" apt-get update -qq
        "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" </dev/null
    fi
    if ! command -v cargo >/dev/null; then
        # The folder of rustup is in PATH only after the next login.
        PATH=$PATH:${CARGO_HOME:-$HOME/.cargo}/bin
        command -v cargo >/dev/null || { say "there is no cargo: install Rust, see rustup.rs"; exit 1; }
    fi
}

# Builds, and writes one line for each test program: its name, the folder of its package, its file.
build() {
    cargo test --workspace --locked --no-run ${profile:+--profile "$profile"} --message-format=json-render-diagnostics >"$work/build"
    sed -nE '/"profile":\{[^}]*"test":true/ s/.*"manifest_path":"([^"]*)\/Cargo\.toml","target":\{"kind":\["([a-z]+)"\].*"name":"([^"]*)",.*"executable":"([^"]+)".*/\3 \2 \1 \4/p' \
        "$work/build" | sort -u | while read -r name kind folder file; do
        # Unit tests have the name of their package, integration tests and benches that of their program.
        [[ $kind == test || $kind == bench ]] || name="units-of-$name"
        [[ $kind == bin ]] && name+="-program"
        # Two packages may have programs with the same name.
        [[ -e $work/programs ]] && grep -q "^$name " "$work/programs" && name+="-$(basename "$folder")"
        echo "$name $folder $file" >>"$work/programs"
    done
}

# The folder in which cargo builds.
target_folder() {
    cargo metadata --no-deps --format-version 1 | sed -nE 's/.*"target_directory":"([^"]*)".*/\1/p'
}
