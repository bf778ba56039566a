import { type Instant, type Micros, seconds } from '../../lib/instant.ts';
import type { Vault } from '../../lib/vault.ts';

/** Hex digits of the time, in seconds. */
const TIME_LENGTH = 8;
/** Hex digits of a signature. */
const SIGNATURE_LENGTH = 32;

/** What a link is good for. The time is a part of what is signed. */
export interface Signed {
  readonly purpose: string;
  subject(time: string): string;
}

/** A time and a signature, which nobody else can make up. */
export function timedToken(vault: Pick<Vault, 'sign'>, { purpose, subject }: Signed, now: Instant): string {
  const time = Math.floor(now / seconds(1))
    .toString(16)
    .padStart(TIME_LENGTH, '0');
  return `${time}${vault.sign(purpose, subject(time), SIGNATURE_LENGTH)}`;
}

/** Whether the token is right and not older than `span`. Its signature has so many digits. */
export function isTimedToken(
  vault: Pick<Vault, 'isSigned'>,
  token: string,
  { purpose, subject }: Signed,
  { now, span, digits = SIGNATURE_LENGTH }: TokenRule,
): boolean {
  const [time, signature] = [token.slice(0, TIME_LENGTH), token.slice(TIME_LENGTH)];
  if (!/^[0-9a-f]{8}$/.test(time)) return false;
  const age = now - seconds(Number.parseInt(time, 16));
  return age <= span && vault.isSigned(signature, purpose, subject(time), digits);
}

export interface TokenRule {
  readonly now: Instant;
  readonly span: Micros;
  /** Absent: all. Where there is little room, a token is shorter. */
  readonly digits?: number;
}
