import { type Instant, seconds } from '../lib/instant.ts';
import { type Reader, StorageError, type Writer } from './driver.ts';

/** The last minor release of each major one. A program of the first minor knows by it which one comes before. */
const LAST_MINORS: Readonly<Record<number, number>> = {};

/** The major and minor number of a release or of a minor release: `1.4.2`, `1.4`. */
function numbersOf(release: string): [major: number, minor: number] {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(release) ?? [];
  if (major === undefined || minor === undefined) throw new Error(`${release} is no release`);
  return [Number(major), Number(minor)];
}

/** `1.4` of `1.4.2`. */
export function minorOf(release: string): string {
  return numbersOf(release).join('.');
}

/** Whether a release is of an earlier minor release than the other. */
export function isEarlierMinor(release: string, other: string): boolean {
  const [[major, minor], [otherMajor, otherMinor]] = [numbersOf(release), numbersOf(other)];
  return major < otherMajor || (major === otherMajor && minor < otherMinor);
}

/** The oldest minor release whose programs work beside this one: the one before, or itself if there is none. */
export function oldestBeside(release: string): string {
  const [major, minor] = numbersOf(release);
  if (minor > 0) return `${major}.${minor - 1}`;
  const last = LAST_MINORS[major - 1];
  return last === undefined ? `${major}.${minor}` : `${major - 1}.${last}`;
}

/** Which programs have used the database. Commands are among them. */
export interface Programs {
  /** The newest release. */
  readonly newest: string;
  /** The oldest minor release that works beside the newest. */
  readonly oldest: string;
  /** When a program of the newest minor release came first. */
  readonly since: Instant;
}

/** The key in `instance`. */
const PROGRAMS = 'programs';

export async function readPrograms(db: Reader): Promise<Programs | null> {
  const [row] = await db.all<{ value: string }>('select value from instance where key = $1', [PROGRAMS]);
  return row === undefined ? null : JSON.parse(row.value);
}

/** Notes that this program uses the database. */
export async function notePrograms(
  tx: Writer,
  known: Programs | null,
  release: string,
  now: Instant,
): Promise<void> {
  if (known !== null && (known.newest === release || isEarlierMinor(release, known.newest))) return;
  const isSameMinor = known !== null && minorOf(known.newest) === minorOf(release);
  const programs: Programs = {
    newest: release,
    oldest: oldestBeside(release),
    since: isSameMinor ? known.since : now,
  };
  await tx.run(
    'insert into instance (key, value) values ($1, $2) on conflict (key) do update set value = excluded.value',
    [PROGRAMS, JSON.stringify(programs)],
  );
}

/** Throws if a program has used the database that is two minor releases ahead, or more. */
export function refuseOldProgram(programs: Programs | null, release: string): void {
  if (programs === null || !isEarlierMinor(release, programs.oldest)) return;
  const { newest, oldest } = programs;
  throw new StorageError(
    'fault',
    `the database was used by Tocsin ${newest}, and this is Tocsin ${release}: install Tocsin ${oldest} or newer, or restore the copy from before the upgrade`,
  );
}

/** A node beats every few seconds. */
const SILENT_AFTER = seconds(30);

export interface OldNode {
  readonly node: string;
  /** Null: its program is older than the column that tells it. */
  readonly version: string | null;
  readonly beatAt: Instant;
  readonly isAlive: boolean;
}

/** Nodes of the last day whose programs are older than a minor release. The last beat comes first. */
export async function nodesBefore(db: Reader, minor: string, now: Instant): Promise<OldNode[]> {
  const nodes = await db.all<Omit<OldNode, 'isAlive'>>(
    'select node, version, beat_at as "beatAt" from watch order by beat_at desc',
  );
  return nodes
    .filter(({ version }) => version === null || isEarlierMinor(version, minor))
    .map((node) => ({ ...node, isAlive: Math.abs(now - node.beatAt) <= SILENT_AFTER }));
}

export function describeNode({ node, version }: OldNode): string {
  return `node ${node} of ${version === null ? 'an older Tocsin' : `Tocsin ${version}`}`;
}
