#!/usr/bin/env bash
# Makes a Rust for amd64 and arm64 in FOLDER, of Debian's packages alone and beside an installed Rust: packaging/debian-rust.sh FOLDER.
# Then: export RUSTC=FOLDER/rustc. It needs root for a moment, to ask apt for packages of arm64.
set -euo pipefail
folder=$(mkdir -p "${1:?usage: packaging/debian-rust.sh FOLDER}" && realpath "$1")
cd "$folder"
mkdir -p root debs
# The architecture is there only while the packages are fetched.
foreign=$(dpkg --print-foreign-architectures)
forget() { grep -qx arm64 <<<"$foreign" || { dpkg --remove-architecture arm64 && apt-get update -qq; }; }
trap forget EXIT
dpkg --add-architecture arm64
apt-get update -qq
cd debs
std=$(apt-cache depends libstd-rust-web-dev | sed -n 's/.*Depends: \(libstd-rust-web-[0-9.]*\)$/\1/p' | head -n 1)
llvm=$(apt-cache depends "$std" | sed -n 's/.*Depends: \(libllvm[0-9]*\)$/\1/p' | head -n 1)
apt-get download rustc-web "$std" libstd-rust-web-dev "$llvm" "$std:arm64" libstd-rust-web-dev:arm64
for package in *.deb; do dpkg-deb -x "$package" ../root; done
cd ..
cat >rustc <<END
#!/bin/sh
LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu:$folder/root/usr/lib exec $folder/root/usr/bin/rustc "\$@"
END
chmod +x rustc
./rustc --version
