/** What systemd tells a program that it starts before or after a service. */
import { execFile } from 'node:child_process';
import { constants } from 'node:os';
import type { Signal } from '../ping.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface ServiceEnd {
  readonly signal: Signal;
  /** What the signal does not tell. */
  readonly word: string | null;
}

const JOURNAL_LINES = 200;
const JOURNAL_MS = 1_000;
const JOURNAL_BYTES = 4_194_304;

/** How the service ended; null where systemd did not tell. A time-out also ends by a signal, but the reason is told by its word. */
export function serviceEnd({
  SERVICE_RESULT: result,
  EXIT_CODE: code,
  EXIT_STATUS: status,
}: Environment): ServiceEnd | null {
  if (result === undefined || result === '') return null;
  if (result === 'success') return { signal: 'success', word: null };
  const exitStatus = Number(status);
  if (result === 'exit-code' && code === 'exited' && /^\d{1,3}$/.test(status ?? '') && exitStatus <= 255) {
    return { signal: exitStatus, word: null };
  }
  const number = Object.entries(constants.signals).find(([name]) => name === `SIG${status}`)?.[1];
  const isKilled =
    (result === 'signal' || result === 'core-dump') && (code === 'killed' || code === 'dumped');
  if (isKilled && number !== undefined) return { signal: 128 + number, word: null };
  return { signal: 'fail', word: result };
}

/**
 * The run of the service as a UUID. Everything below a service has the variable, jobs of a cron service too: it is ours only if
 * systemd itself has started this process.
 */
export function invocationOf(environment: Environment, isTold: boolean, ownId: number): string | null {
  const isOurs = isTold || environment.SYSTEMD_EXEC_PID === String(ownId);
  const [, ...parts] =
    /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/i.exec(
      environment.INVOCATION_ID ?? '',
    ) ?? [];
  return isOurs && parts.length > 0 ? parts.join('-').toLowerCase() : null;
}

/** The last lines of this run in the journal; empty where it cannot be read. */
export function journalOf({ INVOCATION_ID: id, ...environment }: Environment): Promise<Uint8Array> {
  if (id === undefined || !/^[0-9a-f]{32}$/i.test(id)) return Promise.resolve(new Uint8Array());
  const args = [
    `_SYSTEMD_INVOCATION_ID=${id}`,
    '--lines',
    String(JOURNAL_LINES),
    '--output',
    'cat',
    '--no-pager',
    '--quiet',
  ];
  const options = {
    timeout: JOURNAL_MS,
    killSignal: 'SIGKILL',
    maxBuffer: JOURNAL_BYTES,
    encoding: 'buffer',
    env: environment,
  } as const;
  return new Promise((resolve) => {
    execFile('journalctl', args, options, (error, output) =>
      resolve(error === null ? output : new Uint8Array()),
    );
  });
}
