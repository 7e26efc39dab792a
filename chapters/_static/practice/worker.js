// Python in a worker: starts it, unpacks the course's files into it, and does what the page asks.
// Messages in: {start} first, then {check} or {run}. Messages out: {step}, {ready}, {line}, {beat}, {done}, {failed}.
const COURSE = "/course";
let work; // nextword.practice.inside.work

/* Python asks every few dozen steps whether a signal has come, by reading the first item of a buffer. Here that is
a function, so a signal can come at a time that was set before: no other thread, and no shared memory, is needed.

A browser does not tell how long this worker has computed, only the time on the clock, which runs on while the machine
is busy with other things. So the steps count, too: right code that is waiting for its turn is not ended. */
const PACE = 200_000; // questions in a second of a loop, about, on a computer of 2024
const MOST = 4; // times its limit that code may take on the clock, however few steps it has done
const BEAT = 500; // milliseconds after which the page hears that Python is still at it
const dues = new Map(); // signal -> {seconds, again, began, asked}
let asked = 0;
let beaten = 0;
const signals = {
  get 0() {
    asked += 1;
    const now = performance.now();
    if (now - beaten > BEAT) {
      beaten = now;
      postMessage({ beat: true });
    }
    for (const [signal, due] of dues) {
      const took = (now - due.began) / 1000;
      if (Math.min(took, (asked - due.asked) / PACE) < due.seconds && took < MOST * due.seconds) continue;
      if (due.again) Object.assign(due, { seconds: due.again, began: now, asked });
      else dues.delete(signal);
      return signal;
    }
    return 0;
  },
  set 0(_) {}, // Python writes that it has heard
};

function setClock(signal, seconds, again) {
  if (seconds) dues.set(signal, { seconds, again, began: performance.now(), asked });
  else dues.delete(signal);
}

async function start({ python, course }) {
  const files = fetch(course).then((answer) => {
    if (!answer.ok) throw new Error(`${course}: ${answer.status}`);
    return answer.arrayBuffer();
  });
  const { loadPyodide } = await import(new URL("pyodide.mjs", python).href);
  const pyodide = await loadPyodide({ indexURL: python });
  postMessage({ step: "Reading the tests …" });
  pyodide.setStdin({ stdin: () => null }); // input() finds the end of a file
  pyodide.FS.mkdirTree(COURSE);
  pyodide.unpackArchive(new Uint8Array(await files), "zip", { extractDir: COURSE });
  pyodide.runPython(`import os, sys; sys.path.insert(0, "${COURSE}"); os.chdir("${COURSE}")`);
  work = pyodide.pyimport("nextword.practice.inside.work");
  work.begin(setClock);
  pyodide.setInterruptBuffer(signals);
}

onmessage = async ({ data }) => {
  try {
    if (data.start) {
      await start(data.start);
      postMessage({ ready: true });
    } else if (data.check) {
      const { stem, task, text, before } = data.check;
      const printed = work.check(COURSE, stem, task, text, JSON.stringify(before), (line) => postMessage({ line: JSON.parse(line) }));
      postMessage({ done: printed });
    } else if (data.run) {
      const { stem, text, lines, seconds } = data.run;
      postMessage({ done: JSON.parse(work.run(stem, text, lines, seconds)) });
    }
  } catch (error) {
    postMessage({ failed: String(error.message ?? error) });
  }
};
