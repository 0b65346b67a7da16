# A proposer whose first two answers do not build, and whose third does. Writes down what each
# question said of a repair.
q=$(tr -d ' \n\t')
n=$(($(cat count 2>/dev/null || echo 0) + 1))
echo $n >count
case $q in
*'"repair":null'*) echo "$n: no repair" >>asked ;;
*)
    m=${q##*'"messages":"'}
    echo "$n: ${m%%\"}" >>asked
    ;;
esac
if test $n -lt 3; then
    sed "s/a \* x/typo_$n * x/" was.c
else
    cat fast.c
fi
