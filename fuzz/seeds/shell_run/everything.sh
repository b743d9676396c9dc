x=${1:-a b} y=$(echo "$x" | cat) z=`echo b`
f() { local n=$((n + 1)); [ $n -lt 3 ] && f "$@"; return $n; }
for i in a "b c" *; do case $i in [ab]*|?) echo ${i#a} ;; *) break ;; esac; done
while read -r l; do printf '%s\n' "$l"; done <<E
here $x
E
cat <<-'E' >f 2>&1
	kept $x
	E
if ! f 1 || (exit 3); then { echo no; } >>f; elif :; then eval 'echo $#'; else set -- "$@" $*; fi
alias e='echo ' ; trap 'e bye' EXIT
e $'a\tb' "${x%%b*}" ${#x} ${x/a/c} ${x:1:2} $((1 ? x=2 : 0x1f << 2)) ~ & wait $!
. ./f; sub sh -c 'exit 4'; until false; do shift 2>/dev/null || break; done
