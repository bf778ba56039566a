import type { IncomingPing } from '../../src/domain/ping/incoming-ping.ts';

/** What a job tells in one ping. */
export interface Report {
  readonly signal: IncomingPing['signal'];
  readonly rid: string | null;
  /** It stands in the address. Absent: the address names the signal. */
  readonly exitStatus?: number;
  readonly numbers?: Readonly<Record<string, number>>;
  /** Where its numbers stand. */
  readonly form?: 'pairs' | 'json' | 'address';
}

/** The parts of the ping that tell it. */
function pingOf({ signal, rid, exitStatus, numbers = {}, form }: Report) {
  const sent = Object.entries(numbers);
  const body =
    form === 'json'
      ? JSON.stringify(nested(sent))
      : sent.map(([name, value]) => `${name}=${value}`).join('\n');
  return {
    signal,
    rid,
    exitStatus: exitStatus ?? null,
    ...(form === 'address' && { numbers: sent }),
    body: form === undefined || form === 'address' ? null : Buffer.from(`${body}\n`),
  } satisfies Partial<IncomingPing>;
}

/** All that is sent of it. Where jobs have output, that is the body. */
export function partsOf(report: Report, mark: string, hasOutput: boolean) {
  return { ...pingOf(report), ...(hasOutput && { body: bodyOf(report, mark) }), userAgent: mark };
}

export function wordsOf({ signal, rid, exitStatus, numbers }: Report): string {
  const more = [exitStatus, numbers && JSON.stringify(numbers), numbers && rid].filter((part) => part);
  return [signal, ...more].join(' ');
}

/** Dots in names go down. */
function nested(numbers: readonly (readonly [string, number])[]): object {
  const root: Record<string, unknown> = {};
  for (const [name, value] of numbers) {
    const path = name.split('.');
    const last = path.pop() ?? '';
    let object = root;
    for (const key of path) {
      const below: Record<string, unknown> = {};
      object[key] = below;
      object = below;
    }
    object[last] = value;
  }
  return root;
}

/** Lengths around those at which bodies are stored elsewhere, or not kept whole. */
const LENGTHS = [0, 40, 100, 101, 1_000, 1_001, 12_000];

/** The body of the try with that mark. Jobs that tell no numbers tell what they have written. */
export function bodyOf(report: Report, mark: string): Buffer | null {
  const { body } = pingOf(report);
  const isEnd = report.signal === 'success' || report.signal === 'fail';
  const length = LENGTHS[Number(mark.split('-')[1]) % LENGTHS.length] ?? 0;
  if (body !== null || !isEnd || length === 0) return body;
  return Buffer.from(mark.padStart(length, '.'));
}
