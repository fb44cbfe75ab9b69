"""Damage to a store directory, by seed. Each kind changes files and says in a line what it did.

The kinds are what crashes, disks and operators leave: a torn tail, bytes that rotted, a file that is
gone, a checkpoint or an abort file that tells something else. A store has files of the sizes that
driver.py names.
"""

import shutil
import struct

from driver import LOG_FILE_BYTES, QUEUE_FILE_BYTES

CHECKPOINT_FIELDS = ("physical", "logics", "index", "master", "confirm")
BLANK_MAGIC = 0xCBD43194


def log_files(store):
    return sorted((store / "commitlog").iterdir())


def queue_files(store):
    return sorted(path for path in (store / "consumequeue").rglob("*") if path.is_file())


def patch(path, at, content):
    with open(path, "r+b") as file:
        file.seek(at)
        file.write(content)


def records(store):
    """(file, place in it, size) of every record, as far as each file's records follow each other."""
    found = []
    for path in log_files(store):
        content = path.read_bytes()
        at = 0
        while at + 8 <= len(content):
            size, magic = struct.unpack_from(">iI", content, at)
            if size <= 0 or magic >> 16 != 0xDAA3:
                break
            found.append((path, at, size))
            at += size
    return found


def some_record(store, random):
    """A record, mostly one of the newest."""
    every = records(store)
    if random.random() < 0.7:
        every = every[-len(every) // 4:]
    return random.choice(every)


def torn_tail(store, random):
    """The newest record's last bytes never reached the disk."""
    path, at, size = records(store)[-1 - random.randrange(3)]
    kept = random.randrange(size)
    patch(path, at + kept, bytes(LOG_FILE_BYTES - at - kept))
    return f"{path.name}: zeros from {at + kept} on, inside the record at {at}"


def hole(store, random):
    """A page was never written back; what follows it was."""
    path, at, _ = some_record(store, random)
    page = at // 4096 * 4096
    patch(path, page, bytes(4096))
    return f"{path.name}: the page at {page} is zeros"


def bad_body(store, random):
    """A byte of a body is another one."""
    path, at, size = some_record(store, random)
    place = at + 88 + random.randrange(max(1, size - 200))
    byte = path.read_bytes()[place]
    patch(path, place, bytes([byte ^ (1 << random.randrange(8))]))
    return f"{path.name}: a bit of the byte at {place}, record at {at}"


def bad_header(store, random):
    """Some bytes of the first 91 of a record are others."""
    path, at, _ = some_record(store, random)
    place = at + random.randrange(91)
    patch(path, place, random.randbytes(1 + random.randrange(4)))
    return f"{path.name}: bytes at {place}, record at {at}"


def bad_length(store, random):
    """A record says another length."""
    path, at, size = some_record(store, random)
    length = random.choice([0, -1, 4, 7, 8, 91, size - 1, size + 1, LOG_FILE_BYTES - at,
                            LOG_FILE_BYTES - at + 1, LOG_FILE_BYTES, 2**31 - 1, -2**31])
    patch(path, at, struct.pack(">i", length))
    return f"{path.name}: the record at {at} says {length} instead of {size}"


def bad_magic(store, random):
    path, at, _ = some_record(store, random)
    magic = random.choice([0, 0xDAA320A8, BLANK_MAGIC, 0xFFFFFFFF, 0xDAA320AB])
    patch(path, at + 4, struct.pack(">I", magic))
    return f"{path.name}: the record at {at} has the magic {magic:#x}"


def bad_tail_fields(store, random):
    """Bytes of the topic or of the properties."""
    path, at, size = some_record(store, random)
    place = at + size - 1 - random.randrange(min(size - 1, 110))
    patch(path, place, random.randbytes(1))
    return f"{path.name}: the byte at {place}, record at {at}"


def no_blank(store, random):
    """A closed file lost its blank record."""
    path = random.choice(log_files(store)[:-1])
    ends = [at + size for file, at, size in records(store) if file == path]
    patch(path, ends[-1], random.choice([bytes(8), struct.pack(">iI", 8, 0), b"\xff" * 8]))
    return f"{path.name}: no blank record at {ends[-1]}"


def missing_queue_file(store, random):
    path = random.choice(queue_files(store))
    path.unlink()
    return f"{path.parent.parent.name}/{path.parent.name}/{path.name} is gone"


def missing_queue(store, random):
    path = random.choice(queue_files(store)).parent
    shutil.rmtree(path)
    return f"{path.parent.name}/{path.name} is gone"


def no_queues(store, _):
    shutil.rmtree(store / "consumequeue")
    return "consumequeue is gone"


def stale_queue(store, random):
    """The newest units of a queue never reached the disk."""
    path = random.choice(queue_files(store))
    at = random.randrange(QUEUE_FILE_BYTES)
    at -= 0 if random.random() < 0.2 else at % 20
    patch(path, at, bytes(QUEUE_FILE_BYTES - at))
    return f"{path.parent.parent.name}/{path.parent.name}/{path.name}: zeros from {at} on"


def bad_unit(store, random):
    path = random.choice(queue_files(store))
    at = random.randrange(QUEUE_FILE_BYTES // 20) * 20
    physical = random.choice([-1, 0, 2**40, random.randrange(20 * LOG_FILE_BYTES)])
    size = random.choice([0, -1, 100, 0x7FFFFFFF])
    patch(path, at, struct.pack(">qi", physical, size))
    return f"{path.parent.parent.name}/{path.parent.name}/{path.name}: unit at {at}: {physical}+{size}"


def empty_queue_file(store, random):
    path = random.choice(queue_files(store))
    following = f"{int(path.name) + QUEUE_FILE_BYTES:020}"
    target = path.parent / following
    if not target.exists():
        target.write_bytes(b"")
    return f"{path.parent.parent.name}/{path.parent.name}/{following} is empty"


def first_log_files_gone(store, random):
    """Retention deleted the oldest files; the queues don't know yet."""
    files = log_files(store)
    for path in files[:1 + random.randrange(len(files) // 2)]:
        path.unlink()
    return f"the log begins at {log_files(store)[0].name}"


def last_log_files_gone(store, random):
    files = log_files(store)
    for path in files[-1 - random.randrange(3):]:
        path.unlink()
    return f"the last file is {log_files(store)[-1].name}"


def middle_log_file_gone(store, random):
    path = random.choice(log_files(store)[1:-1])
    path.unlink()
    return f"{path.name} is gone"


def no_log(store, _):
    for path in log_files(store):
        path.unlink()
    return "the log is gone"


def next_log_file_empty(store, random):
    """The file that was made ahead: of length 0, or all zeros."""
    path = store / "commitlog" / f"{int(log_files(store)[-1].name) + LOG_FILE_BYTES:020}"
    path.write_bytes(bytes(random.choice([0, LOG_FILE_BYTES])))
    return f"{path.name} has {path.stat().st_size} bytes"


def wrong_size(store, random):
    """A start is refused for it."""
    path = random.choice([random.choice(log_files(store)), random.choice(queue_files(store))])
    with open(path, "r+b") as file:
        file.truncate(random.choice([1, path.stat().st_size // 2, path.stat().st_size + 20]))
    return f"{path.parent.name}/{path.name} has {path.stat().st_size} bytes"


def stale_checkpoint(store, random):
    """The checkpoint is older or newer than what was flushed."""
    path = store / "checkpoint"
    fields = list(struct.unpack(">5q", path.read_bytes()[:40]))
    for index in range(3):
        if random.random() < 0.6:
            fields[index] = random.choice([0, -1, fields[index] - 3000 + random.randrange(6000),
                                           fields[index] + 10**9, fields[index] - 10**7])
    patch(path, 0, struct.pack(">5q", *fields))
    return "checkpoint: " + ", ".join(map("{}={}".format, CHECKPOINT_FIELDS, fields))


def no_checkpoint(store, _):
    (store / "checkpoint").unlink()
    return "the checkpoint is gone"


def other_abort(store, _):
    """The last stop tells the contrary of what it was."""
    path = store / "abort"
    if path.exists():
        path.unlink()
        return "no abort file"
    path.write_text("1")
    return "an abort file"


def nothing(*_):
    return "nothing"


KINDS = (torn_tail, hole, bad_body, bad_header, bad_length, bad_magic, bad_tail_fields, no_blank,
         missing_queue_file, missing_queue, no_queues, stale_queue, bad_unit, empty_queue_file,
         first_log_files_gone, last_log_files_gone, middle_log_file_gone, no_log,
         next_log_file_empty, wrong_size, stale_checkpoint, no_checkpoint, other_abort, nothing)


def damage(store, kind, random):
    """Does `kind`, and sometimes one or two more on top; the lines that say what was done."""
    done = [kind(store, random)]
    while random.random() < 0.3 and len(done) < 3:
        more = random.choice(KINDS)
        try:
            done.append(more(store, random))
        except (IndexError, ValueError, FileNotFoundError):  # The first one left nothing for it.
            continue
    return "; ".join(done)
