import type { Moment, Ping } from '../ping.ts';
import { ageMsOf, MOST_AGE_MS } from './age.ts';
import {
  decodeEntry,
  decodeHead,
  encodeEntry,
  inOrder,
  MOST_BODY_BYTES,
  MOST_HEAD_BYTES,
  nameOf,
  orderOf,
  type Waiting,
} from './entry.ts';
import { type Files, UNFINISHED, writeWhole } from './files.ts';
import { type Sized, type SpoolLimits, textOfTakenBody, tooMany } from './limits.ts';

export interface FolderParts {
  readonly files: Files;
  readonly path: string;
  readonly limits: SpoolLimits;
  readonly now: () => Moment;
  /** Hexadecimal digits. */
  readonly random: () => string;
}

/** Pings that nobody wants are kept for people to look at, but not more of them. */
const MOST_SET_ASIDE = 100;
/** Nobody writes a file for so long. */
const UNFINISHED_MS = 3_600_000;
const DROPPED = /^(\d{1,9})-[0-9a-f]+\.dropped$/;

/** The files of waiting pings. Any number of processes may use a folder at once: whatever they do to a file is one step. */
export class Folder {
  readonly #parts: FolderParts;
  #lastOrder = 0;

  constructor(parts: FolderParts) {
    this.#parts = parts;
  }

  /** Names go up, also if the clock goes back: their order is the order of writing. */
  async add(ping: Ping): Promise<void> {
    const { files, path, random } = this.#parts;
    const orders = (await files.list(path)).map((name) => orderOf(name) ?? 0);
    const least = Math.max(this.#lastOrder, ...orders) + 1;
    this.#lastOrder = Math.max(least, Math.floor(ping.at.wallMs));
    const name = nameOf(this.#lastOrder, random());
    await writeWhole(files, path, { name, beside: name, bytes: encodeEntry(ping) });
  }

  /** What waits, in order. What cannot be read is set aside. */
  async waiting(): Promise<Waiting[]> {
    const { files, path } = this.#parts;
    const waiting: Waiting[] = [];
    for (const name of await files.list(path)) {
      if (orderOf(name) === null) continue;
      const bytes = await files.read(`${path}/${name}`, MOST_HEAD_BYTES);
      if (bytes === null) continue;
      const head = decodeHead(bytes);
      if (head === null) await this.setAside(name, 'bad');
      else waiting.push({ name, head });
    }
    return inOrder(waiting);
  }

  /** Null if it is gone or was set aside. */
  async read(name: string): Promise<Ping | null> {
    const { files, path } = this.#parts;
    const bytes = await files.read(`${path}/${name}`, MOST_HEAD_BYTES + MOST_BODY_BYTES + 1);
    if (bytes === null) return null;
    const ping = decodeEntry(bytes);
    if (ping === null) await this.setAside(name, 'bad');
    return ping;
  }

  async remove(name: string): Promise<void> {
    await this.#parts.files.remove(`${this.#parts.path}/${name}`);
  }

  async setAside(name: string, where: 'bad' | 'rejected'): Promise<void> {
    const { files, path } = this.#parts;
    const folder = `${path}/${where}`;
    await files.makeFolder(folder);
    await files.rename(`${path}/${name}`, `${folder}/${name}`);
    const kept = [...(await files.list(folder))].sort(
      (one, two) => (orderOf(one) ?? 0) - (orderOf(two) ?? 0),
    );
    for (const old of kept.slice(0, -MOST_SET_ASIDE)) await files.remove(`${folder}/${old}`);
  }

  async countSetAside(where: 'bad' | 'rejected'): Promise<number> {
    return (await this.#parts.files.list(`${this.#parts.path}/${where}`)).length;
  }

  /** Returns how many there were. */
  async removeSetAside(): Promise<number> {
    const { files, path } = this.#parts;
    let removed = 0;
    for (const where of ['bad', 'rejected']) {
      for (const name of await files.list(`${path}/${where}`)) {
        if (await files.remove(`${path}/${where}/${name}`)) removed += 1;
      }
    }
    return removed;
  }

  /** Whether anything waits. */
  async isEmpty(): Promise<boolean> {
    return (await this.#parts.files.list(this.#parts.path)).every((name) => orderOf(name) === null);
  }

  /** Makes room where too much waits. Returns how many pings were lost. */
  async keepLimits(): Promise<number> {
    const { files, path, limits } = this.#parts;
    const sizes = new Map<string, number>();
    for (const name of await files.list(path)) {
      if (orderOf(name) === null) continue;
      const facts = await files.facts(`${path}/${name}`, 'the link itself');
      if (facts !== null) sizes.set(name, facts.bytes);
    }
    const bytes = [...sizes.values()].reduce((sum, one) => sum + one, 0);
    if (sizes.size <= limits.files && bytes <= limits.bytes) return 0;
    const waiting = await this.waiting();
    const expired = waiting.filter((one) => this.isExpired(one));
    const rest = waiting.flatMap((one): Sized[] =>
      expired.includes(one) ? [] : [{ ...one, bytes: sizes.get(one.name) ?? 0 }],
    );
    const { bodies, whole } = tooMany(rest, limits);
    for (const { name } of bodies) await this.#takeBody(name);
    return await this.drop([...expired, ...whole]);
  }

  /** A ping whose age is not known does not expire. */
  isExpired({ head }: Waiting): boolean {
    const age = ageMsOf(head.at, this.#parts.now(), MOST_AGE_MS);
    return age !== null && age > this.#parts.limits.ageMs;
  }

  /** Removes pings and counts them. Returns how many they were. */
  async drop(waiting: readonly Waiting[]): Promise<number> {
    if (waiting.length === 0) return 0;
    const { files, path, random } = this.#parts;
    // Whoever removes a note has its count: two processes that count at once count nothing twice.
    let count = waiting.length;
    for (const { name, count: more } of await this.dropped()) {
      if (await files.remove(`${path}/${name}`)) count += more;
    }
    const note = await files.create(`${path}/${count}-${random()}.dropped`);
    await note.close();
    for (const { name } of waiting) await this.remove(name);
    return waiting.length;
  }

  /** Notes of how many pings were dropped that no server has been told of. */
  async dropped(): Promise<{ readonly name: string; readonly count: number }[]> {
    const names = await this.#parts.files.list(this.#parts.path);
    return names.flatMap((name) => {
      const digits = DROPPED.exec(name)?.[1];
      return digits === undefined ? [] : [{ name, count: Number(digits) }];
    });
  }

  /** Removes what processes that died left half written. */
  async tidy(): Promise<void> {
    const { files, path, now } = this.#parts;
    for (const name of await files.list(path)) {
      if (!name.endsWith(UNFINISHED)) continue;
      const facts = await files.facts(`${path}/${name}`, 'the link itself');
      if (facts !== null && Math.abs(now().wallMs - facts.changedMs) > UNFINISHED_MS) await this.remove(name);
    }
  }

  async #takeBody(name: string): Promise<void> {
    const { files, path, random } = this.#parts;
    const ping = await this.read(name);
    if (ping === null) return;
    const body = new TextEncoder().encode(textOfTakenBody(ping.body.length));
    const bytes = encodeEntry({ ...ping, body });
    await writeWhole(files, path, { name, beside: `${name}-${random()}`, bytes });
  }
}
