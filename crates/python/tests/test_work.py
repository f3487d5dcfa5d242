"""Long work: other threads run meanwhile, it tells of progress, and Ctrl-C stops it."""

import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import maxend

# A model of 8 million states, which nobody explores to its end here.
LARGE = """mdp
module m
 x:[0..2000]; y:[0..4000] init 0;
 [] x<2000 -> 0.5:(x'=x+1) + 0.5:true; [] y<4000 -> (y'=y+1); [] x>0 -> (x'=x-1);
endmodule
"""


@pytest.fixture
def large(tmp_path):
    path = tmp_path / "large.prism"
    path.write_text(LARGE)
    return path


def test_other_threads_run_meanwhile(large):
    ticks = []
    done = threading.Event()

    def tick():
        while not done.wait(0.005):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        with pytest.raises(maxend.ModelError, match="300000 states|300,000 states"):
            maxend.read(large, max_states=300_000)
    finally:
        done.set()
        thread.join()
    assert len(ticks) > 3
    assert max(np.diff(ticks)) < 5


class Enough(Exception):
    pass


def test_progress_is_told_and_may_stop_the_work(large):
    calls = []

    def progress(what, done, total):
        calls.append((what, done, total))
        if what == "exploring" and done > 0:
            raise Enough

    with pytest.raises(Enough):
        maxend.read(large, progress=progress)
    assert ("exploring", None) in {(what, total) for what, _, total in calls}
    # What was stopped leaves nothing behind.
    assert maxend.Model.from_csr([0, 1], [0]).mec().labels.tolist() == [0]


def test_searches_tell_of_progress():
    n = 3_000_000
    indices = np.random.default_rng(0).integers(0, n, n, dtype=np.int32)
    model = maxend.Model.from_csr(np.arange(n + 1, dtype=np.int32), indices)
    calls = []
    model.scc(certify=True, device="cpu", threads=1, progress=lambda *call: calls.append(call))
    assert {total for _, _, total in calls} == {n}
    assert all(0 <= done <= n for _, done, _ in calls)


INTERRUPTED = """
import os, signal, sys, threading, time
import maxend

# Whoever started the tests may ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)

def press():
    time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=press).start()
start = time.monotonic()
try:
    maxend.read(sys.argv[1])
except KeyboardInterrupt:
    print("stopped after", time.monotonic() - start)
# The next one is not stopped.
print(maxend.Model.from_csr([0, 1], [0]).scc().labels)
print(maxend.read(sys.argv[2]))
"""


def test_ctrl_c_stops(large, fixtures):
    arguments = [sys.executable, "-c", INTERRUPTED, large, fixtures / "running_example.tra"]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=60)
    lines = done.stdout.splitlines()
    assert len(lines) == 3, done.stdout + done.stderr
    stopped, labels, model = lines
    assert stopped.startswith("stopped after ") and float(stopped.split()[-1]) < 10
    assert labels == "[0]" and "8 states" in model


def test_several_threads_may_read_and_search_at_once(tmp_path, fixtures):
    path = tmp_path / "square.prism"
    path.write_text(LARGE.replace("2000", "99").replace("4000", "99"))
    found = []

    def work():
        for _ in range(3):
            model = maxend.read(path)
            found.append((model.num_states, len(model.scc()), len(model.mec())))
            maxend.read(fixtures / "running_example.tra")

    workers = [threading.Thread(target=work, daemon=True) for _ in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
        assert not worker.is_alive()
    assert len(found) == 18 and len(set(found)) == 1 and found[0][0] == 10_000


FORKED = """
import os, numpy, maxend

n = 200_000
indices = numpy.random.default_rng(0).integers(0, n, 5 * n, dtype=numpy.int32)
indptr = numpy.arange(0, 5 * n + 1, 5, dtype=numpy.int32)

def components():
    return len(maxend.Model.from_csr(indptr, indices).scc().quotient().states)

assert components() == n
child = os.fork()
if child == 0:
    assert components() == n
    os._exit(0)
print(os.waitpid(child, 0)[1])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_forked_processes_have_threads_of_their_own():
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKED], capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "0\n", done.stderr


def test_a_number_of_threads():
    model = maxend.Model.from_csr([0, 1, 2], [1, 0])
    assert len(model.scc(threads=1)) == len(model.scc(threads=3)) == 1
    for wrong in (0, -1):
        with pytest.raises((ValueError, OverflowError)):
            model.scc(threads=wrong)


def test_devices():
    model = maxend.Model.from_csr([0, 1, 2], [1, 0])
    assert model.scc(device="cpu").device == "cpu"
    with pytest.raises(ValueError, match="device must be"):
        model.scc(device="tpu")
    with pytest.raises(ValueError, match="adapter"):
        model.scc(device="cpu", adapter="llvmpipe")
    with pytest.raises(maxend.DeviceError):
        model.scc(device="gpu", adapter="no such adapter")
    try:
        found = model.scc(device="gpu", certify=True)
    except maxend.DeviceError:
        pytest.skip("there is no Vulkan device")
    assert found.labels.tolist() == [0, 0] and found.device != "cpu"


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"threads": 0}, ValueError, "threads must be at least 1, not 0"),
        ({"threads": -1}, ValueError, "threads must be at least 1, not -1"),
        ({"threads": 10**30}, ValueError, "threads must be below"),
        ({"threads": "2"}, TypeError, "threads must be an integer, not str"),
        ({"progress": 3}, TypeError, "progress must be callable, not int"),
    ],
)
def test_wrong_options_are_named(large, options, error, message):
    graph = maxend.Model.from_csr([0, 1], [0])
    for call in (graph.scc, graph.mec, lambda **options: maxend.read(large, **options)):
        with pytest.raises(error, match=message):
            call(**options)
    with pytest.raises(TypeError, match="max_memory must be an integer, not str"):
        maxend.read(large, max_memory="1G")
    assert graph.mec(threads=np.int64(1)).sizes.tolist() == [1]
