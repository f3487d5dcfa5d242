"""Checks long work: other threads run, progress is reported, and Ctrl-C stops it."""

import os
import subprocess
import sys
import threading
import time
import warnings

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


def test_other_threads_run_during_a_search(large):
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


def test_progress_is_reported_and_may_stop_the_work(large):
    calls = []

    def progress(what, done, total):
        calls.append((what, done, total))
        if what == "exploring" and done > 0:
            raise Enough

    with pytest.raises(Enough):
        maxend.read(large, progress=progress)
    assert ("exploring", None) in {(what, total) for what, _, total in calls}
    # Later work is not stopped.
    assert maxend.Model.from_csr([0, 1], [0]).mec().labels.tolist() == [0]


def test_searches_report_progress():
    n = 3_000_000
    indices = np.random.default_rng(0).integers(0, n, n, dtype=np.int32)
    model = maxend.Model.from_csr(np.arange(n + 1, dtype=np.int32), indices)
    calls = []
    model.scc(certify=True, device="cpu", threads=1, progress=lambda *call: calls.append(call))
    assert calls[0] == ("starting", 0, None)
    assert {total for _, _, total in calls[1:]} == {n}
    assert all(0 <= done <= n for _, done, _ in calls)


def test_progress_is_called_before_short_work(fixtures):
    calls = []
    path = fixtures / "running_example.tra"
    maxend.read(path, progress=lambda *call: calls.append(call))
    assert calls[0] == ("starting", 0, None)

    def stop(*_):
        raise Enough

    with pytest.raises(Enough):
        maxend.read(path).scc(device="cpu", certify=True, progress=stop)


INTERRUPTED = """
import os, signal, sys, threading, time
import maxend

# The process that started the tests may ignore this signal.
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
# Later work is not stopped.
print(maxend.Model.from_csr([0, 1], [0]).scc().labels)
print(maxend.read(sys.argv[2]))
"""


def test_ctrl_c_stops_the_work(large, fixtures):
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
from scipy.sparse import csr_array

n = 200_000
indices = numpy.random.default_rng(0).integers(0, n, 5 * n, dtype=numpy.int32)
indptr = numpy.arange(0, 5 * n + 1, 5, dtype=numpy.int32)

matrix = csr_array((numpy.ones(5 * n), indices, indptr), shape=(n, n))

def components():
    states = maxend.Model.from_csr(indptr, indices).scc().quotient().states
    found = [maxend.connected_components(matrix, connection=how)[0] for how in ("weak", "strong")]
    return [len(states), *found]

expected = components()
assert expected[0] == n
child = os.fork()
if child == 0:
    os._exit(0 if components() == expected else 1)
print(os.waitpid(child, 0)[1])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_forked_processes_start_their_own_threads():
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKED], capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "0\n", done.stderr


AFTER_A_GPU = """
import os
import maxend

def fails():
    try:
        maxend.Model.from_csr([0, 1, 2], [1, 0]).scc(device="gpu")
    except maxend.DeviceError as error:
        return "forked" in str(error)
    return False

fails()  # There may be no GPU, but drivers were asked.
child = os.fork()
if child == 0:
    found = maxend.Model.from_csr([0, 1, 2], [1, 0]).scc()
    os._exit(0 if fails() and len(found) == 1 else 1)
print(os.waitpid(child, 0)[1])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_forked_processes_use_no_gpu():
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", AFTER_A_GPU],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout == "0\n", done.stderr


def test_the_number_of_threads_can_be_chosen():
    model = maxend.Model.from_csr([0, 1, 2], [1, 0])
    assert len(model.scc(threads=1)) == len(model.scc(threads=3)) == 1
    for wrong in (0, -1):
        with pytest.raises((ValueError, OverflowError)):
            model.scc(threads=wrong)


def test_the_number_of_threads_is_limited(fixtures):
    model, path = maxend.Model.from_csr([0, 1, 2], [1, 0]), fixtures / "running_example.tra"
    calls = (
        model.scc,
        model.mec,
        model.bfs,
        lambda threads: maxend.read(path, threads=threads),
        lambda threads: maxend.build(path, threads=threads),
        lambda threads: model.cycle_mean(maxend.Rewards(states=[1, 2]), threads=threads),
    )
    words = "^threads=1000000: taking [0-9]+, 4 for each core; more are of no use$"
    for call in calls:
        with pytest.warns(UserWarning, match=words) as warned:
            call(threads=10**6)
        assert [warning.filename for warning in warned] == [__file__]
        most = int(str(warned[0].message).split()[2].rstrip(","))
        assert most % 4 == 0
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            call(threads=most)


def test_the_device_can_be_chosen():
    model = maxend.Model.from_csr([0, 1, 2], [1, 0])
    assert model.scc(device="cpu").device == "cpu"
    with pytest.raises(ValueError, match="device must be"):
        model.scc(device="tpu")
    with pytest.raises(ValueError, match="adapter"):
        model.scc(device="cpu", adapter="llvmpipe")
    for call in (model.scc, model.bfs):
        with pytest.raises(maxend.DeviceError):
            call(device="gpu", adapter="no such adapter")
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
    searches = (graph.scc, graph.mec, graph.bfs)
    for call in (*searches, lambda **options: maxend.read(large, **options)):
        with pytest.raises(error, match=message):
            call(**options)
    with pytest.raises(TypeError, match="max_memory must be an integer, not str"):
        maxend.read(large, max_memory="1G")
    assert graph.mec(threads=np.int64(1)).sizes.tolist() == [1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"device": None}, "device must be 'auto', 'cpu' or 'gpu', not None"),
        ({"adapter": 5}, "adapter must be a str, not int"),
        ({"certify": 1}, "certify must be True or False, not 1"),
        ({"certify": None}, "certify must be True or False, not None"),
    ],
)
def test_wrong_options_of_searches_are_named(options, message):
    graph = maxend.Model.from_csr([0, 1], [0])
    for call in (graph.scc, graph.mec, graph.bfs):
        with pytest.raises(TypeError, match=message):
            call(**options)
    assert graph.mec(certify=np.bool_(True)).sizes.tolist() == [1]
    with pytest.raises(TypeError, match="stay must be True or False, not 1"):
        graph.mec().quotient(stay=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"deadlocks": None}, "deadlocks must be 'self-loop', 'keep' or 'error', not None"),
        ({"constants": {1: 2}}, "constants must have names that are str, not int"),
        ({"constants": [("N", 1)]}, "constants must map names to values, not be a list"),
        ({"details": 1}, "details must be True or False, not 1"),
        ({"allow_any_sum": "yes"}, "allow_any_sum must be True or False, not 'yes'"),
        ({"type": 3}, "type must be a str, not int"),
        ({"labels": b"a.lab"}, "labels must be a str or a path, not bytes"),
        ({"states": 1}, "states must be a str or a path, not int"),
    ],
)
def test_wrong_options_of_reading_are_named(large, options, message):
    with pytest.raises(TypeError, match=message):
        maxend.read(large, **options)


@pytest.mark.parametrize("file", [b"a.tra", 0, None])
def test_only_strings_and_paths_name_files(file):
    with pytest.raises(TypeError, match="file must be a str or a path, not "):
        maxend.read(file)


@pytest.mark.parametrize("place", [0, 1])
def test_changes_to_borrowed_arrays_raise_errors(place):
    indptr, indices = np.arange(5, dtype=np.int32), np.array([1, 2, 3, 0], dtype=np.int32)
    model = maxend.Model.from_csr(indptr, indices)
    found = [model.scc(), model.mec()]
    # The documentation forbids such a change.
    (indptr, indices)[place][2] = 10**9
    for components in found:
        for use in (lambda: components.quotient(), lambda: components.choices):
            with pytest.raises(RuntimeError, match="was an array changed that a model borrows"):
                use()
