/** `tocsin ping`: one ping, and then those that wait. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Parsed, parseArguments } from '../arguments.ts';
import { runInChild } from '../child.ts';
import { helpOf } from '../help.ts';
import { inTime } from '../in-time.ts';
import { leave } from '../leave.ts';
import { type Line, openLine } from '../line.ts';
import type { Machine } from '../machine.ts';
import { PING_OPTIONS } from '../options.ts';
import { isResult, type Ping, type Signal } from '../ping.ts';
import { redact, secretsOf } from '../run/redaction.ts';
import { REPORT_PAUSES_MS, realTiming, sendWithin } from '../send/attempts.ts';
import { MOST_BODY_BYTES } from '../spool/entry.ts';
import { bodyWith, lastBytes } from '../spool/late.ts';
import { readCount } from '../values.ts';
import { EXIT, onSignals } from './ending.ts';
import { invocationOf, journalOf, serviceEnd } from './systemd.ts';

export const HELP = helpOf(
  `Usage: tocsin ping [CHECK] [OPTIONS]

Sends one ping, a success unless an option says otherwise. CHECK is a UUID or a slug.

`,
  PING_OPTIONS,
);

type ParsedPing = Parsed<typeof PING_OPTIONS>;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** For keeping a ping, after the time for sending it is over. */
const KEEPING_MS = 2_000;

export async function ping(argv: readonly string[], machine: Machine): Promise<void> {
  const parsed = withOperand(
    parseArguments(PING_OPTIONS, { argv, environment: machine.environment, runsJob: false }),
  );
  if (parsed.wantsHelp) {
    process.stdout.write(HELP);
    return;
  }
  if (await runInChild('ping', argv, machine)) return;
  const { code, isStuck, signal } = await send(parsed, machine);
  await machine.flush();
  const leaving = signal === null ? ({ kind: 'exit', code } as const) : ({ kind: 'signal', signal } as const);
  leave(leaving, isStuck, machine.leaveToParent);
}

interface Ended {
  readonly code: number;
  /** Something that was begun may never end. */
  readonly isStuck: boolean;
  /** What asked us to end. */
  readonly signal: NodeJS.Signals | null;
}

async function send(parsed: ParsedPing, machine: Machine): Promise<Ended> {
  const { values } = parsed;
  const complain = values.quiet ? () => undefined : machine.say;
  const at = machine.moment();
  const signal = signalOf(values, machine.environment);
  const rid = ridOf(values, machine);
  const body = await bodyOf(values, machine.environment);
  const faults = [
    ...parsed.faults,
    ...[signal, rid, body].flatMap((one) => (one instanceof Fault ? [one.message] : [])),
  ];
  const opened = faults.length > 0 ? null : await openLine(parsed, machine);
  if (opened !== null && 'fault' in opened) faults.push(opened.fault);
  if (
    opened === null ||
    'fault' in opened ||
    signal instanceof Fault ||
    rid instanceof Fault ||
    body instanceof Fault
  ) {
    for (const fault of faults) complain(fault);
    return { code: EXIT.wrongUse, isStuck: false, signal: null };
  }
  const { line } = opened;
  const limits = await line.spool?.limitsOf(line.target);
  const most = Math.min(limits?.bodyBytes ?? MOST_BODY_BYTES, MOST_BODY_BYTES);
  const one: Ping = { target: line.target, signal, rid, at, body: lastBytes(body, most) };
  return await sendOne(one, line, { parsed, machine, complain });
}

async function sendOne(
  one: Ping,
  line: Line,
  { parsed, machine, complain }: { parsed: ParsedPing; machine: Machine; complain: (line: string) => void },
): Promise<Ended> {
  const { values } = parsed;
  const tell = values.verbose ? machine.say : () => undefined;
  const timing = realTiming(machine);
  const stop = onSignals();
  const end = timing.monotonicMs() + values.within;
  const delivery = await sendWithin(line.sender, one, {
    ageMs: () => null,
    attemptMs: values['ping-timeout'],
    withinMs: values.within,
    pausesMs: REPORT_PAUSES_MS,
    until: stop.asked,
    timing,
    onFailure: (reason) => tell(`${one.signal}: not delivered: ${reason}`),
  });
  switch (delivery.kind) {
    case 'accepted': {
      tell(`${one.signal}: delivered`);
      await line.spool?.remember(one.target, delivery.limits, isResult(one.signal) ? one.at : undefined);
      const over = new AbortController();
      const cancel = timing.after(Math.max(0, end - timing.monotonicMs()), () => over.abort());
      stop.asked.addEventListener('abort', () => over.abort());
      await Promise.race([line.spool?.deliver(line.sender, over.signal), untilOver(over.signal)]);
      cancel();
      line.sender.close();
      return {
        code: EXIT.done,
        isStuck: over.signal.aborted || line.spool?.isStuck() === true,
        signal: null,
      };
    }
    case 'refused':
      line.sender.close();
      complain(`the server does not accept pings of ${one.target.label}: it answers ${delivery.status}`);
      return { code: EXIT.refused, isStuck: line.spool?.isStuck() === true, signal: null };
    case 'failed': {
      line.sender.close();
      const isKept = line.spool !== null && (await inTime(line.spool.put(one), KEEPING_MS, timing)) === true;
      if (line.spool !== null && isKept) await inTime(line.spool.makeRoom(), KEEPING_MS, timing);
      if (isKept) tell(`${one.signal}: kept for later: ${delivery.reason}`);
      else complain(`a ping of ${one.target.label} is lost: ${delivery.reason}`);
      return { code: isKept ? EXIT.done : EXIT.notReached, isStuck: true, signal: stop.signal() };
    }
  }
}

function untilOver(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

class Fault extends Error {}

/** A check that stands there without an option is meant as if by one. */
function withOperand(parsed: ParsedPing): ParsedPing {
  const [check, ...others] = parsed.operands;
  if (others.length > 0)
    return { ...parsed, faults: [...parsed.faults, 'one check at a time can be pinged'] };
  if (check === undefined) return parsed;
  const option = UUID.test(check) ? 'uuid' : 'slug';
  return {
    ...parsed,
    values: { ...parsed.values, [option]: check },
    sources: new Map([...parsed.sources, [option, 'flag']]),
  };
}

function signalOf(
  { start, fail, log, exit, 'from-systemd': isFromSystemd }: ParsedPing['values'],
  environment: Machine['environment'],
): Signal | Fault {
  const named: Signal[] = [];
  if (start) named.push('start');
  if (fail) named.push('fail');
  if (log) named.push('log');
  if (exit !== null) {
    const status = readCount(exit);
    if (status === null || status > 255) return new Fault('--exit is a number from 0 to 255');
    named.push(status);
  }
  if (isFromSystemd) {
    const end = serviceEnd(environment);
    if (end === null)
      return new Fault('--from-systemd is for ExecStopPost= of a unit: SERVICE_RESULT is not set');
    named.push(end.signal);
  }
  if (named.length > 1)
    return new Fault('only one of --start, --fail, --log, --exit and --from-systemd can be given');
  return named[0] ?? 'success';
}

/** The run is that of the job around us, of the service or of the workflow. */
function ridOf(
  { rid: given, 'from-systemd': isFromSystemd }: ParsedPing['values'],
  { environment, processId }: Pick<Machine, 'environment' | 'processId'>,
): string | null | Fault {
  if (given !== null) return UUID.test(given) ? given.toLowerCase() : new Fault('--rid is no UUID');
  const { TOCSIN_RUN_ID: around, GITHUB_RUN_ID: run, GITHUB_RUN_ATTEMPT: attempt } = environment;
  if (around !== undefined && UUID.test(around)) return around;
  const service = invocationOf(environment, isFromSystemd, processId);
  if (service !== null) return service;
  return run ? uuidOf(`${run} ${attempt ?? ''}`) : null;
}

/** The same for the same text: a UUID of version 8, as RFC 9562 has it for such. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

async function bodyOf(
  { body: given, 'from-systemd': isFromSystemd }: ParsedPing['values'],
  environment: Machine['environment'],
): Promise<Uint8Array | Fault> {
  if (given === null) return isFromSystemd ? await bodyOfService(environment) : new Uint8Array();
  if (given === '-') return await readInput();
  if (!given.startsWith('@')) return new TextEncoder().encode(given);
  return await readFile(given.slice(1)).catch((error: NodeJS.ErrnoException) => {
    return new Fault(`the file of --body cannot be read: ${error.code}`);
  });
}

/** The word of systemd, and the journal without its secrets. */
async function bodyOfService(environment: Machine['environment']): Promise<Uint8Array> {
  const word = serviceEnd(environment)?.word ?? null;
  const secrets = secretsOf(environment, { names: [], own: [], userPatterns: [] });
  const journal = Buffer.concat(
    (redact(await journalOf(environment), secrets) ?? []).map(({ bytes }) => bytes),
  );
  return bodyWith(word === null ? [] : [`[tocsin] ${word}`], journal, null);
}

/** The end of what comes in: nobody takes more. */
async function readInput(): Promise<Uint8Array> {
  let kept = Buffer.alloc(0);
  for await (const piece of process.stdin) {
    kept = Buffer.concat([kept, piece]);
    if (kept.length > 2 * MOST_BODY_BYTES) kept = kept.subarray(-MOST_BODY_BYTES);
  }
  return kept;
}
