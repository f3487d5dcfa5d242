#!/bin/sh
# Runs `maxend cluster --hosts` on three network namespaces, stand-ins for three machines: when all
# is well, when one dies, when the network to one is cut, and when one has another token or does not
# start. Says what each process says, and fails if something is not as docs/cluster.md has it.
#
#   xtask/machines.sh MAXEND MODEL LARGE    as root, on Linux with iproute2; about a minute
#
# MAXEND is the program, MODEL a small model in PRISM's language, and LARGE one that takes several
# seconds to explore; either may have options behind it: "coin6.nm -c K=6".
set -u
maxend=$(realpath "$1") model=$2 large=$3
folder=$(mktemp -d)
failed=0

bridge=mx$$
names="a b c"
for name in $names; do mkdir "$folder/$name"; done

up() {
    ip link add "$bridge" type bridge && ip link set "$bridge" up || exit 1
    i=0
    for name in $names; do
        i=$((i + 1))
        ip netns add "$bridge$name"
        ip link add "v$name$$" type veth peer name eth0 netns "$bridge$name"
        ip link set "v$name$$" master "$bridge" up
        ip -n "$bridge$name" addr add "10.77.0.$i/24" dev eth0
        ip -n "$bridge$name" link set eth0 up
        ip -n "$bridge$name" link set lo up
        echo "10.77.0.$i:4101"
    done > "$folder/hosts"
}

down() {
    for name in $names; do ip netns del "$bridge$name"; done
    ip link del "$bridge"
    rm -r "$folder"
}

# start NAME PROCESS TOKEN WORDS...: one process, on the machine of this name, which writes there.
start() {
    name=$1 process=$2 token=$folder/$3
    shift 3
    (cd "$folder/$name" && exec ip netns exec "$bridge$name" "$maxend" cluster --wait 8 \
        --hosts "$folder/hosts" --process "$process" --token-file "$token" -- decompose "$@" \
        --threads 1) > "$folder/$name.out" 2> "$folder/$name.err" &
    eval "pid_$name=$!"
}

# ended CODES: waits for all processes, and compares their exit codes.
ended() {
    codes=
    for name in $names; do
        eval "wait \$pid_$name" 2> /dev/null
        codes="$codes $?"
        sed "s/^/  $name: /" "$folder/$name.err"
    done
    expect "exit codes" "$codes" " $1"
}

# expect WHAT FOUND EXPECTED
expect() {
    [ "$2" = "$3" ] && return
    echo "WRONG $1: $2, expected $3"
    failed=1
}

# said NAME TEXT: whether a process said this.
said() {
    grep -q "$2" "$folder/$1.err" || { echo "WRONG: $1 does not say: $2"; failed=1; }
}

left() { cd "$folder" && ls a b c | grep -c '[a-z]\.\|part'; }

up
trap down EXIT
head -c 32 /dev/urandom | base64 > "$folder/secret"
head -c 32 /dev/urandom | base64 > "$folder/other"

echo "all is well: an archive in parts is that of one machine"
for name in $names; do
    start $name "$(echo $names | tr -d ' ' | sed "s/$name.*//" | wc -m | awk '{ print $1 - 1 }')" \
        secret $model -f umb -o model.umb
done
ended "0 0 0"
cp "$folder"/b/* "$folder"/c/* "$folder/a"
"$maxend" convert "$folder/a/model.umb" "$folder/whole.umb" --deadlocks keep -q
"$maxend" decompose $model -f umb -o "$folder/alone.umb" -q
cmp "$folder/whole.umb" "$folder/alone.umb" || failed=1
rm "$folder"/[abc]/*

echo "one dies"
start a 0 secret $large -f labels -o labels
start b 1 secret $large -f labels -o labels
start c 2 secret $large -f labels -o labels
sleep 2
kill -KILL "$pid_c"
ended "3 3 137"
for name in a b; do said $name "lost process 2 at 10.77.0.3:4101"; done
expect "files" "$(left)" 0

echo "the network to one is cut"
start a 0 secret $large -f labels -o labels
start b 1 secret $large -f labels -o labels
start c 2 secret $large -f labels -o labels
sleep 2
ip link set "vc$$" down
ended "3 3 3"
for name in a b; do said $name "lost process 2 at 10.77.0.3:4101: it has said nothing"; done
expect "files" "$(left)" 0
ip link set "vc$$" up

echo "one has another token"
start a 0 secret $model
start b 1 secret $model
start c 2 other $model
ended "3 3 3"
said a "turned away 10.77.0.3"
# Whoever stops waiting first is lost to the other.
said a "lost process [12] at 10.77.0"

echo "one is to do something else"
start a 0 secret $model
start b 1 secret $model
start c 2 secret $model --components scc
ended "3 3 3"
said a "its --components is scc, and mec here"

echo "one does not start"
start a 0 secret $model
start b 1 secret $model
pid_c=$pid_b
ended "3 3 3"
said a "lost process [12] at 10.77.0"

[ $failed = 0 ] && echo "as it should be"
exit $failed
