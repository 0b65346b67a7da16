# kill.sh WHAT N: called for the Nth time with WHAT, it leaves a process, ends rooftop with SIGKILL
# and does not end itself. Between rooftop and this shell are processes that rooftop forked: they
# have its name too, and the first of them all is meant.
echo >>$1.times
[ $(wc -l <$1.times) = $2 ] || exit 0
pid=$PPID
parent() { sed -n 's/^PPid:.//p' /proc/$1/status; }
until [ "$(cat /proc/$pid/comm)" = rooftop ]; do
    pid=$(parent $pid)
    [ "${pid:-0}" -gt 1 ] || exit 1 # nobody above has that name
done
while [ "$(cat /proc/$(parent $pid)/comm)" = rooftop ]; do pid=$(parent $pid); done
setsid sleep 1000 &
echo $! >left
kill -9 $pid
sleep 1000
