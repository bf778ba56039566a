import type { Moment, ServerLimits, Target } from '../ping.ts';
import { msBetween } from './age.ts';
import { digest } from './digest.ts';
import { type Files, writeWhole } from './files.ts';
import { type Left, parseLeft } from './left.ts';
import { digestOf, encodeServers, limitsIn, parseServers, type Servers, withLimits } from './servers.ts';

const SERVERS = 'servers.json';
const LATE_LOGS = 'late-logs.json';
const RESULTS = 'results';
const LEFT = 'left';
const MOST_LEFT = 500;
/** No more pings wait, and each may be of another check. */
const MOST_RESULTS = 1_000;
const MOST_FILE_BYTES = 1_000_000;

/** What is known of servers and checks, in files beside the waiting pings. */
export class Memory {
  readonly #files: Files;
  readonly #path: string;
  readonly #random: () => string;

  constructor({ files, path, random }: { files: Files; path: string; random: () => string }) {
    this.#files = files;
    this.#path = path;
    this.#random = random;
  }

  /** What the server of this check has told; null if that is not known. */
  async limitsOf(target: Target, wallMs: number): Promise<ServerLimits | null> {
    return limitsIn(await this.#servers(), target, wallMs);
  }

  async rememberLimits(target: Target, limits: ServerLimits, wallMs: number): Promise<void> {
    const changed = withLimits(await this.#servers(), target, limits, wallMs);
    if (changed !== null) await this.#write(SERVERS, encodeServers(changed));
  }

  /** A result that was delivered at once is younger than those that wait. */
  async rememberResult(target: Target, at: Moment): Promise<void> {
    await this.#files.makeFolder(`${this.#path}/${RESULTS}`);
    await this.#write(`${RESULTS}/${await digestOf(target)}`, JSON.stringify(at));
    await this.#tidy(RESULTS, MOST_RESULTS);
  }

  /** Whether a younger result was delivered at once. */
  async isOutdated(target: Target, at: Moment): Promise<boolean> {
    const found = await this.#read(`${RESULTS}/${await digestOf(target)}`);
    if (found === null) return false;
    const { wallMs = 0, bootId = null, sinceBootMs = null } = parseObject(found) as Partial<Moment>;
    return msBetween(at, { wallMs, bootId, sinceBootMs }) > 0;
  }

  /** What the last run of a check left that was as expected. */
  async lastLeft(target: Target, pattern: string): Promise<Left | null> {
    return parseLeft(parseObject((await this.#read(await leftPath(target, pattern))) ?? ''));
  }

  async rememberLeft(target: Target, pattern: string, left: Left): Promise<void> {
    const folder = `${this.#path}/${LEFT}`;
    await this.#files.makeFolder(folder);
    await this.#write(await leftPath(target, pattern), JSON.stringify(left));
    await this.#tidy(LEFT, MOST_LEFT);
  }

  /** When logs about late pings went out, by check. Only the process that holds the lock reads and writes it. */
  async lateLogs(): Promise<Map<string, number[]>> {
    const found = Object.entries(parseObject((await this.#read(LATE_LOGS)) ?? ''));
    return new Map(
      found.map(([check, times]) => [
        check,
        Array.isArray(times) ? times.filter((time) => typeof time === 'number') : [],
      ]),
    );
  }

  async writeLateLogs(logs: ReadonlyMap<string, readonly number[]>): Promise<void> {
    await this.#write(LATE_LOGS, JSON.stringify(Object.fromEntries(logs)));
  }

  /** Removes the oldest files of a folder where there are too many. */
  async #tidy(name: string, most: number): Promise<void> {
    const folder = `${this.#path}/${name}`;
    const names = await this.#files.list(folder);
    if (names.length <= most) return;
    const ages = new Map<string, number>();
    for (const one of names) {
      const facts = await this.#files.facts(`${folder}/${one}`, 'the link itself');
      ages.set(one, facts?.changedMs ?? 0);
    }
    const oldest = [...ages].sort(([, one], [, two]) => one - two).slice(0, names.length - most);
    for (const [one] of oldest) await this.#files.remove(`${folder}/${one}`);
  }

  async #servers(): Promise<Servers> {
    return parseServers((await this.#read(SERVERS)) ?? '');
  }

  async #read(name: string): Promise<string | null> {
    const bytes = await this.#files.read(`${this.#path}/${name}`, MOST_FILE_BYTES);
    return bytes === null ? null : new TextDecoder().decode(bytes);
  }

  async #write(name: string, text: string): Promise<void> {
    const bytes = new TextEncoder().encode(text);
    await writeWhole(this.#files, this.#path, { name, beside: `${name}-${this.#random()}`, bytes });
  }
}

const leftPath = async (target: Target, pattern: string): Promise<string> =>
  `${LEFT}/${await digestOf(target)}-${await digest(pattern)}`;

/** An empty one for a file that cannot be read: all of it can be learnt again. */
function parseObject(text: string): object {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
