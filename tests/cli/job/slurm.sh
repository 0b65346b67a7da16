#!/bin/sh
# slurm.sh FOLDER COMMAND...: starts munged, slurmctld and two slurmd (the nodes n1 and n2, both this host) on loopback, runs
# the command with SLURM_CONF set, and ends them all. Ends with the command's status; with 77 and a reason where Slurm is not
# installed or does not start here.
set -u
folder=$1
shift
for program in munged slurmctld slurmd srun; do
    command -v $program >/dev/null || { echo "$program is not installed"; exit 77; }
done
port=$((20000 + $$ % 10000 * 4))
host=$(hostname -s)
mkdir -p "$folder/state" "$folder/spool-n1" "$folder/spool-n2"
dd if=/dev/urandom of="$folder/munge.key" bs=64 count=1 2>/dev/null
chmod 400 "$folder/munge.key"
cat >"$folder/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$folder/munge.sock
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool-%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd-%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd-%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/linear
SchedulerType=sched/builtin
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
MailProg=/bin/true
ReturnToService=2
KillWait=1
NodeName=n[1-2] NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1))-$((port + 2)) CPUs=2
PartitionName=p Nodes=n[1-2] Default=YES OverSubscribe=YES
CONF
export SLURM_CONF="$folder/slurm.conf"
pids=
# At once: on TERM a slurmd waits for minutes for the steps of a job that was cancelled, and its steps for the controller.
end() {
    # shellcheck disable=SC2086 -- a list
    kill -KILL $pids 2>/dev/null
    wait
    for file in $(grep -slzxF "SLURM_CONF=$SLURM_CONF" /proc/[0-9]*/environ); do
        read -r name 2>/dev/null <"${file%environ}comm" || continue
        case $name in slurmd | slurmstepd) kill -KILL "$(basename "${file%/environ}")" ;; esac
    done
}
trap end EXIT
trap 'exit 1' INT TERM HUP
munged --force -F --key-file="$folder/munge.key" --socket="$folder/munge.sock" --pid-file="$folder/munged.pid" \
    --log-file="$folder/munged.log" --seed-file="$folder/munge.seed" --num-threads=1 >"$folder/munged.out" 2>&1 &
pids="$pids $!"
i=0
until [ -S "$folder/munge.sock" ] || [ $i -gt 100 ]; do
    sleep 0.05
    i=$((i + 1))
done
slurmctld -D >"$folder/slurmctld.out" 2>&1 &
pids="$! $pids"
for node in n1 n2; do
    slurmd -D -N $node >"$folder/slurmd-$node.out" 2>&1 &
    pids="$! $pids"
done
i=0
until [ "$(timeout 5 sinfo -h -o %T 2>/dev/null)" = idle ]; do
    i=$((i + 1))
    [ $i -gt 100 ] && { echo "slurmctld and slurmd do not come up here"; exit 77; }
    sleep 0.1
done
"$@"
