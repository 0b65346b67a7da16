# A proposer that wants to read the second line of another file, `secret`: its candidate says that it
# stands there, and does not build. Each question is added to `asked`.
cat >>asked
n=$(($(cat count 2>/dev/null || echo 0) + 1))
echo $n >count
cat was.*
printf '#line 2 "%s/secret"\nint broken_%d = 1 1;\n' "$PWD" $n
