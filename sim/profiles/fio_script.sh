#!/bin/sh
# Measures a disk with fio for `drydock calibrate`.
#
#   sh SCRIPT DIRECTORY [RESULTS]
#
# DIRECTORY lies in a file system on the disk. The measurements write to files in a new folder in it,
# which is removed at the end: nothing else is touched, and a device is refused. They take about five
# minutes and, with 1 GiB per file, 2 GiB of room. Nothing else should use the disk meanwhile.
#
# FIO_SIZE=4G      size of each of the two files; more than the cache of a RAID controller
# FIO_SECONDS=10   of each measurement; less than 5 is flagged
set -eu

directory=${1:?"usage: sh $0 DIRECTORY [RESULTS]"}
results=${2:-fio-results}
size=${FIO_SIZE:-1G}
seconds=${FIO_SECONDS:-10}

command -v fio >/dev/null || { echo "fio is not installed" >&2; exit 2; }
[ -d "$directory" ] || { echo "$directory: is no directory" >&2; exit 2; }
mkdir -p "$results"
folder=$(mktemp -d "$directory/drydock-fio.XXXXXX")
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM

# Every block is written first: a hole is read without the disk.
for file in one two; do
  fio --name=layout --filename="$folder/$file" --size="$size" --rw=write --bs=1M --direct=1 \
    --ioengine=libaio --iodepth=8 --end_fsync=1 --output=/dev/null
done

# NAME and the options of the job.
measure() {
  name=$1
  shift
  echo "$name" >&2
  fio --output="$results/$name.json" --output-format=json \
    --filename="$folder/one" --size="$size" --time_based --runtime="$seconds" --ramp_time=1 \
    --clat_percentiles=1 --lat_percentiles=1 \
    --percentile_list=1:5:10:25:50:75:90:95:99:99.5:99.9:99.95:99.99 \
    --name="$name" "$@"
}

for depth in 1 4 8 16 32 64 128; do
  for what in randread randwrite; do
    measure "${what}_4k_qd$depth" --rw=$what --bs=4k --iodepth=$depth --direct=1 --ioengine=libaio
  done
done
for what in randread randwrite; do
  measure "${what}_16k_qd1" --rw=$what --bs=16k --iodepth=1 --direct=1 --ioengine=libaio
done
for what in read write; do
  measure "seq${what}_1m_qd8" --rw=$what --bs=1M --iodepth=8 --direct=1 --ioengine=libaio
done
measure randrw70_4k_qd32 --rw=randrw --rwmixread=70 --bs=4k --iodepth=32 --direct=1 --ioengine=libaio
measure probe_read --rw=randread --bs=4k --iodepth=1 --direct=1 --ioengine=libaio \
  --name=seqwriter --filename="$folder/two" --rw=write --bs=256k --iodepth=16 --direct=1 \
  --ioengine=libaio
# Over written blocks fdatasync is the write and one flush, with a journal and without.
measure fdatasync_4k --rw=write --bs=4k --fdatasync=1 --ioengine=psync
measure direct_dsync_4k --rw=write --bs=4k --sync=dsync --direct=1 --ioengine=psync

echo "now: drydock calibrate --fio $results/*.json --out my-disk.json" >&2
