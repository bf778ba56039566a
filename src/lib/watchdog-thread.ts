import { writeSync } from 'node:fs';
import { type Debugger, type NodeWorker, Session } from 'node:inspector';
import { setInterval, setTimeout } from 'node:timers';
import { workerData } from 'node:worker_threads';
import { StallCounter } from './stall-counter.ts';
import { STALLED, turnsOf, type WatchdogData, type WatchedThread } from './watchdog.ts';

if (isWatchdogData(workerData)) watch(workerData);

function watch({ watchdog: { everyMs, maxLooks, stackPatienceMs }, turns, threads }: WatchdogData): void {
  const counters = threads.map((thread) => ({ thread, counter: new StallCounter(maxLooks) }));
  const looking = setInterval(() => {
    const stalled = counters.find(({ thread, counter }) => counter.isStalledAt(turnsOf(turns, thread)));
    if (stalled === undefined) return;
    clearInterval(looking);
    const seconds = Math.round((everyMs * maxLooks) / 1_000);
    showStack(stalled.thread, stackPatienceMs, (stack) => {
      writeSync(
        2,
        `The ${stalled.thread} thread has not turned for ${seconds} seconds. The process ends, to be started again.\n${stack}\n`,
      );
      endProcess();
    });
  }, everyMs);
}

/** Ends the process at once. It waits for no thread, since the one that hangs would not end. */
function endProcess(): void {
  try {
    // A thread cannot end the process by `process.exit`.
    const { functions } = process
      .getBuiltinModule('node:ffi')
      .dlopen(null, { _exit: { arguments: ['i32'], return: 'void' } });
    functions._exit(STALLED);
  } catch {
    process.kill(process.pid, 'SIGKILL');
  }
}

/** Asks the debugger where the thread is. */
function showStack(thread: WatchedThread, patienceMs: number, show: (stack: string) => void): void {
  setTimeout(() => show('    It has no stack to show: it waits outside of JavaScript.'), patienceMs);
  const session = new Session();
  session.connectToMainThread();
  const files = new Map<string, string>();
  const hear = ({ method, params }: DebuggerMessage) => {
    if (method === 'Debugger.scriptParsed') files.set(params.scriptId, params.url);
    if (method === 'Debugger.paused') show(params.callFrames.map((frame) => lineOf(frame, files)).join('\n'));
  };
  if (thread === 'main') {
    session.on('Debugger.scriptParsed', hear);
    session.on('Debugger.paused', hear);
    session.post('Debugger.enable');
    session.post('Debugger.pause');
  } else askWorker(session, `${thread}-thread`, hear);
}

/** The debugger of a thread is reached through that of the main thread. */
function askWorker(session: Session, file: string, hear: (message: DebuggerMessage) => void): void {
  session.on('NodeWorker.attachedToWorker', ({ params: { sessionId, workerInfo } }) => {
    if (!workerInfo.url.includes(file)) return;
    for (const [id, method] of ['Debugger.enable', 'Debugger.pause'].entries()) {
      const message = JSON.stringify({ id, method, params: {} });
      session.post('NodeWorker.sendMessageToWorker', { sessionId, message });
    }
  });
  session.on('NodeWorker.receivedMessageFromWorker', ({ params: { message } }: WorkerMessage) =>
    // Node writes these messages.
    hear(JSON.parse(message)),
  );
  session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
}

interface WorkerMessage {
  readonly params: NodeWorker.ReceivedMessageFromWorkerEventDataType;
}

type DebuggerMessage =
  | { readonly method: 'Debugger.scriptParsed'; readonly params: Debugger.ScriptParsedEventDataType }
  | { readonly method: 'Debugger.paused'; readonly params: Debugger.PausedEventDataType };

function lineOf({ functionName, location }: Debugger.CallFrame, files: ReadonlyMap<string, string>): string {
  const { scriptId, lineNumber, columnNumber = 0 } = location;
  return `    at ${functionName || '<anonymous>'} (${files.get(scriptId) ?? 'unknown'}:${lineNumber + 1}:${columnNumber + 1})`;
}

function isWatchdogData(data: unknown): data is WatchdogData {
  return typeof data === 'object' && data !== null && 'watchdog' in data;
}
