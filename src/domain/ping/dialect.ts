import { AppError } from '../errors.ts';

/** Programs whose ping addresses are accepted, so that jobs need not be touched. */
export const PING_DIALECTS = ['kuma', 'cronitor'] as const;

export type PingDialect = (typeof PING_DIALECTS)[number];

/** The dialects that a project accepts. */
export interface Dialects {
  readonly kuma: boolean;
  /** With `create` every ping creates a missing check, as Cronitor does. */
  readonly cronitor: null | { readonly create: boolean };
}

export const NO_DIALECTS: Dialects = { kuma: false, cronitor: null };

export function accepts(dialects: Dialects, dialect: PingDialect): boolean {
  return dialect === 'kuma' ? dialects.kuma : dialects.cronitor !== null;
}

/** The stored form names only what is accepted. Null: nothing is. */
export function encodeDialects({ kuma, cronitor }: Dialects): string | null {
  if (!kuma && cronitor === null) return null;
  return JSON.stringify({ ...(kuma && { kuma }), ...(cronitor !== null && { cronitor }) });
}

/** All stored forms of projects that accept the dialect. */
export function formsAccepting(dialect: PingDialect): string[] {
  const all = [false, true].flatMap((kuma) =>
    [null, { create: false }, { create: true }].map((cronitor): Dialects => ({ kuma, cronitor })),
  );
  return all
    .filter((dialects) => accepts(dialects, dialect))
    .flatMap((dialects) => encodeDialects(dialects) ?? []);
}

/** There are few forms, and every ping of another program comes with one. */
const decoded = new Map<string, Dialects>();

export function decodeDialects(stored: string | null): Dialects {
  if (stored === null) return NO_DIALECTS;
  // Only `encodeDialects` makes this JSON.
  const decode = (): Dialects => ({ ...NO_DIALECTS, ...(JSON.parse(stored) as Partial<Dialects>) });
  return decoded.getOrInsertComputed(stored, decode);
}

/** A token of another program. Shorter ones could be guessed. */
export const ALIAS_TOKEN = /^[A-Za-z0-9_-]{8,64}$/;

/** Aliases of one check, and of one project. */
export const MAX_ALIASES = 10;

/** An address of another program. Its token stands for a check, or for the ping key of a project. */
export interface PingAlias {
  id: number;
  /** Names the alias on pages. It opens nothing. */
  uuid: string;
  dialect: PingDialect;
  tokenDigest: string;
  /** The token, encrypted. */
  tokenSealed: string;
  /** Null if it stands for the ping key of a project. */
  checkId: number | null;
  projectId: number | null;
  lastUsedAt: number | null;
  createdAt: number;
}

export type NewPingAlias = Omit<PingAlias, 'id'>;

/** Refuses text that cannot be a token. */
export function requireToken(token: string): void {
  if (!ALIAS_TOKEN.test(token))
    throw new AppError('invalid_field', 'A token has 8 to 64 letters, digits, hyphens or underscores.', {
      field: 'token',
    });
}

/** For lists and the audit log: enough to tell tokens apart. */
export function maskedToken(token: string): string {
  return `…${token.slice(-4)}`;
}
