#!/bin/sh
# Leaves a real OpenXR runtime (Monado 25.0.0) and prints its manifest's path. Without an argument it runs within the
# process that uses it; with "service" in a process of its own (bin/monado-service there), which a test can kill.
#
# In order: $HANDHOLD_MONADO or $HANDHOLD_MONADO_SERVICE (a manifest), the cache, a ready build for Debian 12 beside the
# checkout (of the former), a build from Debian's source package (the former takes about 6 minutes on 2 cores, the latter
# one). A distribution's own package has neither what the tests read back of haptic pulses nor a null compositor faster
# than 20 Hz.
set -eu

version=25.0.0
sha256=ddfa1899078173bea3db98034dc8b990df727a169f490896570ff6e3bda72113
here=$(cd "$(dirname "$0")" && pwd)
case ${1:-} in
    "") kind=monado given=${HANDHOLD_MONADO:-} variable=HANDHOLD_MONADO ;;
    service) kind=monado-service given=${HANDHOLD_MONADO_SERVICE:-} variable=HANDHOLD_MONADO_SERVICE ;;
    *) echo "usage: monado.sh [service]" >&2; exit 2 ;;
esac
cache=${XDG_CACHE_HOME:-$HOME/.cache}/handhold/$kind-$version
manifest=$cache/share/openxr/1/openxr_monado.json
ready=$here/../../../shared/openxr/monado-$version-bookworm-amd64.tgz

run_packages="libgl1 libegl1 libgl1-mesa-dri libcjson1 libbsd0 libudev1 libvulkan1 libx11-6 libx11-xcb1 libxcb-randr0"
build_packages="build-essential cmake ninja-build pkg-config python3 xz-utils libeigen3-dev libvulkan-dev glslang-tools
  libgl-dev libegl-dev libgles-dev libglvnd-dev libx11-dev libx11-xcb-dev libxcb-randr0-dev libxrandr-dev libxxf86vm-dev
  libudev-dev libbsd-dev libcjson-dev"
left_out="WMR VIVE HDK HYDRA NS PSMV PSSENSE PSVR ROKID XREAL_AIR STEAMVR_LIGHTHOUSE RIFT_S OPENGLOVES EUROC ARDUINO DAYDREAM"

say() { echo "monado: $*" >&2; }
fail() { say "$*"; exit 1; }

usable() { # MANIFEST: the library it names loads here, and the service is there where one is wanted
    [ -f "$1" ] || return 1
    [ "$kind" = monado ] || [ -x "$(dirname "$1")/../../../bin/monado-service" ] || return 1
    library=$(sed -n 's/.*"library_path" *: *"\([^"]*\)".*/\1/p' "$1")
    case $library in /*) ;; *) library=$(dirname "$1")/$library ;; esac
    [ -f "$library" ] && ! ldd "$library" 2>&1 | grep -q "not found"
}

install_packages() {
    missing=
    for package in "$@"; do
        dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    as_root=
    [ "$(id -u)" = 0 ] || as_root="sudo -n"
    say "installing$missing"
    { $as_root apt-get -q update && $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends $missing; } >&2 ||
        fail "paste this, then try again: sudo apt-get update && sudo apt-get install -y$missing"
}

take() { # FOLDER: move a finished build into the cache in one step
    mkdir -p "$(dirname "$cache")"
    rm -rf "$cache"
    mv "$1" "$cache"
}

unpack_ready() {
    [ "$kind" = monado ] && [ -f "$ready" ] && grep -q '^VERSION_CODENAME=bookworm' /etc/os-release && [ "$(uname -m)" = x86_64 ] || return 1
    say "unpacking the ready build into $cache"
    tar -xzf "$ready" -C "$work" && take "$work/opt/monado-inproc"
    usable "$manifest"
}

fetch_source() {
    mirror=$(apt-get indextargets --format '$(REPO_URI)' | head -n 1)
    [ -n "$mirror" ] || fail "apt knows no package source; run apt-get update, or set $variable to a manifest"
    archive="monado_$version+dfsg.orig.tar.xz"
    say "fetching the source of Monado $version"
    /usr/lib/apt/apt-helper download-file "${mirror}pool/main/m/monado/$archive" "$work/$archive" "SHA256:$sha256" >/dev/null 2>"$work/log" ||
        fail "the source of Monado $version cannot be fetched; set $variable to the manifest of a build of your own"
    mkdir "$work/source"
    tar -xJf "$work/$archive" -C "$work/source" --strip-components=1
}

change_source() {
    # At 20 frames a second a test of 60 fps input waits; the remote driver swallows haptic pulses without a word.
    compositor=$work/source/src/xrt/compositor/null/null_compositor.c
    device=$work/source/src/xrt/drivers/remote/r_device.c
    sed -i 's|U_TIME_1S_IN_NS / 20; // 20 FPS|U_TIME_1S_IN_NS / 60; // 60 FPS|' "$compositor"
    sed -i 's|^\t(void)rd;$|\tU_LOG_I("remote-haptic hand=%s amplitude=%f frequency=%f duration_ns=%lld", rd->is_left ? "left" : "right",\n\t        value->vibration.amplitude, value->vibration.frequency, (long long)value->vibration.duration_ns);|' "$device"
    grep -q "/ 60; // 60 FPS" "$compositor" && grep -q remote-haptic "$device" || fail "the source is not the one this script knows"
}

build() {
    options="-DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_LIBDIR=lib -DXRT_OPENXR_INSTALL_ABSOLUTE_RUNTIME_PATH=OFF"
    for feature in FEATURE_STEAMVR_PLUGIN BUILD_SAMPLES FEATURE_SLAM MODULE_MONADO_CLI; do
        options="$options -DXRT_$feature=OFF"
    done
    case $kind in
        monado) options="$options -DXRT_FEATURE_SERVICE=OFF" ;;
        # Without the compositor of real headsets, and without systemd, which would want the service started its way.
        *) options="$options -DXRT_FEATURE_SERVICE=ON -DXRT_MODULE_COMPOSITOR_MAIN=OFF -DXRT_HAVE_SYSTEMD=OFF" ;;
    esac
    for driver in $left_out; do options="$options -DXRT_BUILD_DRIVER_$driver=OFF"; done
    say "configuring"
    # shellcheck disable=SC2086 # one word an option
    cmake -G Ninja -S "$work/source" -B "$work/build" -DCMAKE_INSTALL_PREFIX="$work/installed" -DBUILD_TESTING=OFF $options \
        >"$work/log" 2>&1 || { tail -n 30 "$work/log" >&2; fail "cmake failed"; }
    say "compiling $kind"
    NINJA_STATUS='monado: compiling %f of %t, %e s
' nice ninja -C "$work/build" >"$work/log" 2>&1 &
    compiler=$!
    while kill -0 "$compiler" 2>/dev/null; do
        sleep 5
        grep -a '^monado: compiling' "$work/log" | tail -n 1 >&2 || true
    done
    wait "$compiler" || { tail -n 30 "$work/log" >&2; fail "the build failed"; }
    ninja -C "$work/build" install >"$work/log" 2>&1 || { tail -n 30 "$work/log" >&2; fail "the build cannot be installed"; }
    take "$work/installed"
}

if [ -n "$given" ]; then
    usable "$given" || fail "$variable=$given is no manifest whose library loads"
    echo "$given"
    exit 0
fi
if ! usable "$manifest"; then
    command -v apt-get >/dev/null || fail "this is no Debian: build Monado $version yourself and set $variable to its manifest"
    mkdir -p "$(dirname "$cache")"
    work=$(mktemp -d "$cache.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    trap 'exit 130' INT TERM
    install_packages $run_packages
    if ! unpack_ready; then
        install_packages $build_packages
        fetch_source
        change_source
        build
        usable "$manifest" || fail "the build does not load: $(ldd "$cache"/lib/*.so | grep 'not found')"
    fi
fi
echo "$manifest"
