# Proposes the N-th word's version of the source: one that answers wrongly, one that looks at what stands in its output,
# one that is honest, one that takes as long as its other input says (of unsteady.hip). Standard input is the question.
number=$(grep -m1 '"number"' | tr -dc '0-9')
case $(echo "$1" | cut -d, -f"$number") in
    wrong) sed 's/a\[i\] + b\[i\]/a[i] - b[i]/' k.hip ;;
    cheat) sed -e '/volatile/d' -e 's/if (i < n)/if (i < n \&\& c[i] == 0)/' k.hip ;;
    honest) sed '/volatile/d' k.hip ;;
    other) sed 's/(a + n - 1)/(b + n - 1)/' k.hip ;;
    text) sed 's/^KERNEL/TEXT KERNEL/' k.hip ;;
    stop) kill -INT "$(sed -n "s/^PPid:.//p" "/proc/$PPID/status")"; exec sleep 60 ;;
esac
