import { USED_EVERY } from '../../domain/people/api-key.ts';
import { accepts, type PingDialect } from '../../domain/ping/dialect.ts';
import type {
  ForeignTarget,
  IncomingPing,
  PingAddressError,
  PingTarget,
  ReceivedPing,
} from '../../domain/ping/incoming-ping.ts';
import { SLUG_MAX_LENGTH } from '../../domain/slug.ts';
import { type Instant, type Micros, seconds } from '../../lib/instant.ts';
import type { DialectProject, KnownAlias, Writes } from '../../storage/store.ts';
import type { Deps } from '../core/deps.ts';

/** For so long it is taken for granted that some project still accepts a dialect. */
const KNOWN_FOR: Micros = seconds(1);

/** Knows whether any project accepts a dialect: while none does, its addresses are like any other unknown path. */
export class AcceptedDialects {
  readonly #deps: Pick<Deps, 'store' | 'clock'>;
  readonly #knownUntil = new Map<PingDialect, Micros>();

  constructor(deps: Pick<Deps, 'store' | 'clock'>) {
    this.#deps = deps;
  }

  /** Whether it was so a moment ago. */
  isKnown(dialect: PingDialect): boolean {
    return this.#deps.clock.monotonic() < (this.#knownUntil.get(dialect) ?? 0);
  }

  /** Asks the database: another node may have switched the dialect on. */
  async isAccepted(dialect: PingDialect): Promise<boolean> {
    const isUsed = await this.#deps.store.pingAliases.isDialectUsed(dialect);
    if (isUsed) this.#knownUntil.set(dialect, this.#deps.clock.monotonic() + KNOWN_FOR);
    return isUsed;
  }
}

interface Translated {
  readonly pings: readonly (IncomingPing | PingAddressError)[];
  /** The aliases by which they came. */
  readonly used: readonly KnownAlias[];
}

/** A batch with pings to addresses of other programs. */
interface ForeignPings {
  /** Pings whose targets are known before any check is held. */
  readonly known: readonly IncomingPing[];
  /** Digests of the tokens that name the checks of the others. */
  readonly tokens: readonly string[];
  /** All of them, with the aliases of the tokens. */
  translate(aliases: readonly KnownAlias[]): Translated;
}

/** Turns pings to addresses of other programs into pings to checks of projects that accept this. Others stay as they are. */
export async function readForeign(tx: Writes, batch: readonly ReceivedPing[]): Promise<ForeignPings> {
  if (batch.every(isOwn)) return { known: batch, tokens: [], translate: () => ({ pings: batch, used: [] }) };
  const targets = batch.flatMap(({ target }) => ('dialect' in target ? target : []));
  const found = await Found.by(tx, targets.filter(isCronitor));
  const isKuma = ({ target }: ReceivedPing) => 'dialect' in target && target.dialect === 'kuma';
  const read = batch.map((ping) => (isOwn(ping) || isKuma(ping) ? ping : found.translate(ping)));
  return {
    known: read.filter((ping) => typeof ping === 'object' && isOwn(ping)),
    tokens: targets.flatMap((target) => (isCronitor(target) ? [] : target.tokenDigest)),
    translate: (aliases) => {
      found.learn(aliases);
      const pings = read.map((ping) =>
        typeof ping === 'string' || isOwn(ping) ? ping : found.translate(ping),
      );
      return { pings, used: [...found.used] };
    },
  };
}

function isCronitor(target: ForeignTarget): target is CronitorTarget {
  return target.dialect === 'cronitor';
}

function isOwn(ping: ReceivedPing): ping is IncomingPing {
  return !('dialect' in ping.target);
}

/** The aliases and projects that the addresses of a batch may name. */
class Found {
  readonly #aliases = new Map<string, KnownAlias>();
  readonly #projects: ReadonlyMap<string | null, DialectProject>;
  readonly used = new Set<KnownAlias>();

  private constructor(aliases: readonly KnownAlias[], projects: readonly DialectProject[]) {
    this.learn(aliases);
    this.#projects = new Map(projects.map((project) => [project.pingKeyDigest, project]));
  }

  static async by(tx: Writes, targets: readonly CronitorTarget[]): Promise<Found> {
    if (targets.length === 0) return new Found([], []);
    const keys = new Set(targets.map(({ keyDigest }) => keyDigest));
    const tokens = new Set(targets.flatMap(({ tokenDigest }) => tokenDigest ?? []));
    const [aliases, projects] = await Promise.all([
      tx.pingAliases.byDigests([...tokens.union(keys)]),
      tx.pingAliases.projectsByPingKeys([...keys]),
    ]);
    return new Found(aliases, projects);
  }

  learn(aliases: readonly KnownAlias[]): void {
    for (const alias of aliases) this.#aliases.set(aliasKey(alias.dialect, alias.digest), alias);
  }

  translate(ping: ReceivedPing): IncomingPing | PingAddressError {
    const { target } = ping;
    if (!('dialect' in target)) return { ...ping, target };
    const { dialect, text } = target;
    const own = dialect === 'kuma' ? this.#kumaCheck(target.tokenDigest) : this.#cronitorCheck(target);
    if (own !== null) return { ...ping, target: own, body: bodyWith(text, ping.body) };
    const usual = dialect === 'kuma' ? 'not_found' : target.usual;
    // An age that the address does not have is lost between threads.
    return typeof usual === 'string' ? usual : { ...ping, age: undefined, ...usual };
  }

  /** The check of the token. Null if there is none, or if its project does not accept the dialect. */
  #kumaCheck(tokenDigest: string): PingTarget | null {
    const alias = this.#alias('kuma', tokenDigest);
    return alias === null ? null : this.#checkOf(alias);
  }

  /** Null if no project that accepts the dialect has the key. */
  #cronitorCheck({ keyDigest, tokenDigest, slug, create }: CronitorTarget): PingTarget | null {
    const keyAlias = this.#alias('cronitor', keyDigest);
    const project = this.#projects.get(keyDigest) ?? (keyAlias?.uuid === null ? keyAlias : null);
    const accepted = project?.dialects.cronitor ?? null;
    if (project === null || accepted === null) return null;
    if (project === keyAlias) this.used.add(keyAlias);
    const alias = tokenDigest === null ? null : this.#alias('cronitor', tokenDigest);
    const named = alias?.projectId === project.projectId ? this.#checkOf(alias) : null;
    // A key that stands for the ping key finds nothing in a project without one.
    const pingKeyDigest = project.pingKeyDigest ?? '';
    const mayCreate = (create || accepted.create) && slug.length <= SLUG_MAX_LENGTH;
    return named ?? { pingKeyDigest, slug, create: mayCreate };
  }

  #checkOf(alias: KnownAlias): PingTarget | null {
    if (alias.uuid === null) return null;
    this.used.add(alias);
    return { uuid: alias.uuid };
  }

  /** The alias, if its project accepts the dialect. */
  #alias(dialect: PingDialect, digest: string): KnownAlias | null {
    const alias = this.#aliases.get(aliasKey(dialect, digest));
    return alias !== undefined && accepts(alias.dialects, dialect) ? alias : null;
  }
}

/** Notes when aliases were used, at most once a minute for each. Every node locks these rows in this order. */
export async function noteUses(tx: Writes, used: readonly KnownAlias[], now: Instant): Promise<void> {
  const ids = used
    .filter(({ lastUsedAt }) => lastUsedAt === null || now - lastUsedAt >= USED_EVERY)
    .map(({ id }) => id);
  if (ids.length > 0)
    await tx.pingAliases.noteUses(
      ids.toSorted((one, other) => one - other),
      now,
    );
}

type CronitorTarget = Extract<ForeignTarget, { dialect: 'cronitor' }>;

function aliasKey(dialect: PingDialect, digest: string): string {
  return `${dialect}/${digest}`;
}

/** The text of the address, then the body of the request. */
function bodyWith(text: string, body: Uint8Array | null): Uint8Array | null {
  if (text === '') return body;
  const parts = body === null ? [Buffer.from(text)] : [Buffer.from(`${text}\n`), body];
  return new Uint8Array(Buffer.concat(parts));
}
