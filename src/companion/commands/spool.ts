/** `tocsin spool`: what waits to be sent. */
import { parseArguments } from '../arguments.ts';
import { runInChild } from '../child.ts';
import { helpOf } from '../help.ts';
import { leave } from '../leave.ts';
import { senderFor, spoolFor } from '../line.ts';
import type { Machine } from '../machine.ts';
import { SPOOL_OPTIONS, type Values } from '../options.ts';
import type { Moment, Sender } from '../ping.ts';
import { realTiming, sleep } from '../send/attempts.ts';
import { ageMsOf, inWords, MOST_AGE_MS } from '../spool/age.ts';
import type { Round } from '../spool/delivery.ts';
import type { Waiting } from '../spool/entry.ts';
import { timeOf } from '../spool/late.ts';
import type { SpoolFolder } from '../spool/spool.ts';
import { EXIT, onSignals } from './ending.ts';

export const HELP = helpOf(
  `Usage: tocsin spool list|flush|path [OPTIONS]
       tocsin spool drop CHECK... [OPTIONS]
       tocsin spool drop --all [OPTIONS]

Pings that could not be delivered wait in a folder. \`list\` shows them, \`flush\` sends them, \`drop\` removes
those of some checks or all, and \`path\` tells where they are.

`,
  SPOOL_OPTIONS,
);

type SpoolOptions = Values<typeof SPOOL_OPTIONS>;

interface Called {
  readonly values: SpoolOptions;
  readonly checks: readonly string[];
  readonly spool: SpoolFolder;
  readonly machine: Machine;
  readonly complain: (line: string) => void;
}

const VERBS: Readonly<Record<string, (called: Called) => Promise<void>>> = { list, flush, drop, path };
/** Another process that delivers is asked again after this time. */
const BUSY_PAUSE_MS = 200;

export async function spool(argv: readonly string[], machine: Machine): Promise<void> {
  const parsed = parseArguments(SPOOL_OPTIONS, { argv, environment: machine.environment, runsJob: false });
  if (parsed.wantsHelp) {
    process.stdout.write(HELP);
    return;
  }
  const { values } = parsed;
  const complain = values.quiet ? () => undefined : machine.say;
  const [verb = '', ...checks] = parsed.operands;
  const act = VERBS[verb];
  const faults = [...parsed.faults];
  if (act === undefined) faults.push('say what to do: list, flush, drop or path');
  else if (checks.length > 0 && act !== drop) faults.push(`${verb} takes no check`);
  else if (act === drop && (checks.length === 0) !== values.all)
    faults.push('say which checks to drop, or --all');
  const opened = await spoolFor(values, machine);
  if (opened === null) faults.push('there is no folder for waiting pings: set HOME, or give --spool');
  if (act === undefined || opened === null || faults.length > 0) {
    for (const fault of faults) complain(fault);
    process.exitCode = EXIT.wrongUse;
    return;
  }
  // All others ask nobody but the disk that people want to see.
  if (act === flush && (await runInChild('spool', argv, machine))) return;
  await act({ values, checks, spool: opened, machine, complain });
}

async function path({ spool: opened }: Called): Promise<void> {
  process.stdout.write(`${opened.path}\n`);
}

async function list({ values, spool: opened, machine }: Called): Promise<void> {
  const now = machine.moment();
  const rows = (await opened.folder.waiting()).map((one) => rowOf(one, now));
  const aside = {
    rejected: await opened.folder.countSetAside('rejected'),
    bad: await opened.folder.countSetAside('bad'),
  };
  if (values.json) {
    process.stdout.write(`${JSON.stringify({ pings: rows, ...aside })}\n`);
    return;
  }
  const cells = rows.map(({ time, check, signal, age_seconds: age }) => [
    time,
    escaped(check),
    signal,
    age === null ? 'unknown' : inWords(age * 1000),
  ]);
  process.stdout.write(tableOf([['TIME', 'CHECK', 'SIGNAL', 'AGE'], ...cells]));
  if (aside.rejected > 0) process.stdout.write(`Refused by their server: ${aside.rejected}, in rejected/\n`);
  if (aside.bad > 0) process.stdout.write(`Not readable: ${aside.bad}, in bad/\n`);
}

/** No address is in it. */
function rowOf({ head }: Waiting, now: Moment) {
  const age = ageMsOf(head.at, now, MOST_AGE_MS);
  return {
    time: timeOf(age === null ? head.at.wallMs : now.wallMs - age),
    check: head.target.label,
    signal: typeof head.signal === 'number' ? `exit ${head.signal}` : head.signal,
    age_seconds: age === null ? null : Math.floor(age / 1000),
    body_bytes: head.bodyBytes,
  };
}

function tableOf(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}

/** Names of checks come from elsewhere. */
function escaped(text: string): string {
  return text.replace(/\p{Cc}/gu, (one) => `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

async function drop({ values, checks, spool: opened, complain }: Called): Promise<void> {
  const waiting = await opened.folder.waiting();
  const dropped = values.all ? waiting : waiting.filter(({ head }) => checks.includes(head.target.label));
  for (const { name } of dropped) await opened.folder.remove(name);
  const aside = values.all ? await opened.folder.removeSetAside() : 0;
  if (dropped.length + aside === 0) {
    complain('nothing waits that could be dropped');
    process.exitCode = EXIT.noMatch;
    return;
  }
  process.stdout.write(`Dropped: ${dropped.length + aside}\n`);
}

async function flush({ values, spool: opened, machine, complain }: Called): Promise<void> {
  const sender = await senderFor(values, machine, null);
  if ('fault' in sender) {
    complain(sender.fault);
    process.exitCode = EXIT.wrongUse;
    return;
  }
  const timing = realTiming(machine);
  const stop = onSignals();
  const over = new AbortController();
  timing.after(values.within, () => over.abort());
  stop.asked.addEventListener('abort', () => over.abort());
  const late = new Promise<Round>((resolve) => {
    over.signal.addEventListener('abort', () => resolve({ kind: 'stopped' }), { once: true });
  });
  const round = await Promise.race([deliverAll(opened, sender, over.signal, timing), late]);
  sender.close();
  if (round.kind === 'failed') complain(`pings are still waiting: ${round.reason}`);
  else if (round.kind !== 'done') complain('pings are still waiting: the time is over');
  await machine.flush();
  const signal = stop.signal();
  const code = round.kind === 'done' ? EXIT.done : EXIT.notReached;
  const leaving = signal === null ? ({ kind: 'exit', code } as const) : ({ kind: 'signal', signal } as const);
  leave(leaving, round.kind !== 'done', machine.leaveToParent);
}

/** Waits for another process that delivers, and where a server wants pauses. */
async function deliverAll(
  opened: SpoolFolder,
  sender: Sender,
  until: AbortSignal,
  timing: ReturnType<typeof realTiming>,
): Promise<Round> {
  for (;;) {
    const round = await opened.deliverRound(sender, until);
    if (until.aborted || (round.kind !== 'busy' && round.kind !== 'paused')) return round;
    await sleep(round.kind === 'busy' ? BUSY_PAUSE_MS : round.againInMs, until, timing);
  }
}
