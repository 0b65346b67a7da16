# Proposes the N-th word's version of the source in the folder, k.hip or k.cu: one that answers wrongly, one that looks at
# what stands in its output, one that is honest, one that takes as long as its other input says (of unsteady.hip), one that
# names what there is not. Standard input is the question.
k=$(echo k.[hc][iu]*)
k=${k%% *}
number=$(grep -m1 '"number"' | tr -dc '0-9')
case $(echo "$1" | cut -d, -f"$number") in
    wrong) sed 's/a\[i\] + b\[i\]/a[i] - b[i]/' "$k" ;;
    cheat) sed -e '/volatile/d' -e 's/if (i < n)/if (i < n \&\& c[i] == 0)/' "$k" ;;
    honest) sed '/volatile/d' "$k" ;;
    other) sed 's/(a + n - 1)/(b + n - 1)/' "$k" ;;
    broken) sed "s/int i = /int i = typo_$number + /" "$k" ;;
    text) sed 's/^KERNEL/TEXT KERNEL/' "$k" ;;
    stop) kill -INT "$(sed -n "s/^PPid:.//p" "/proc/$PPID/status")"; exec sleep 60 ;;
esac
