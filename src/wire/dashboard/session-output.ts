import type { Act } from '../../domain/people/audit.ts';
import type { Session } from '../../domain/people/session.ts';
import { toIsoSeconds } from '../../lib/instant.ts';

/** Who is signed in, as the page shows it everywhere. */
export interface SignedInJson {
  readonly account: {
    readonly uuid: string;
    readonly email: string;
    readonly name: string;
    readonly is_admin: boolean;
  };
  readonly session: {
    readonly uuid: string;
    /** Until then nothing asks for a proof of identity. Null if everything dangerous does. */
    readonly confirmed_until: string | null;
    /** Whether everything else is refused until the person has added a second factor. */
    readonly needs_second_factor: boolean;
  };
}

export function signedInJson({
  account,
  session,
  lacksSecondFactor,
}: {
  readonly account: {
    readonly uuid: string;
    readonly email: string;
    readonly name: string;
    readonly isAdmin: boolean;
  };
  readonly session: Session;
  readonly lacksSecondFactor: boolean;
}): SignedInJson {
  const { uuid, email, name, isAdmin } = account;
  const { sudoUntilAt } = session;
  return {
    account: { uuid, email, name, is_admin: isAdmin },
    session: {
      uuid: session.uuid,
      confirmed_until: toIsoSeconds(sudoUntilAt),
      needs_second_factor: lacksSecondFactor,
    },
  };
}

/** Ways to confirm one's identity, easiest first. */
export interface ConfirmationWaysJson {
  readonly ways: readonly ('passkey' | 'password' | 'code' | 'recovery_code' | 'provider' | 'mail')[];
}

export function confirmationWaysJson(ways: ConfirmationWaysJson['ways']): ConfirmationWaysJson {
  return { ways };
}

/** A row in the list of sessions. */
export interface SessionJson {
  readonly uuid: string;
  readonly is_current: boolean;
  readonly created: string;
  readonly last_seen: string;
  readonly address: string | null;
  readonly user_agent: string;
}

export function sessionJson(session: Session, current: Pick<Session, 'id'>): SessionJson {
  return {
    uuid: session.uuid,
    is_current: session.id === current.id,
    created: toIsoSeconds(session.createdAt),
    last_seen: toIsoSeconds(session.lastSeenAt),
    address: session.remoteAddr,
    user_agent: session.userAgent,
  };
}

/** A row in the list of past sign-ins. */
export interface SignInJson {
  readonly at: string;
  readonly address: string | null;
  readonly user_agent: string;
  /** By what the person has proved who they are. */
  readonly with: string;
  readonly second_factor: string | null;
}

export function signInJson({ createdAt, remoteAddr, details }: Act): SignInJson {
  const text = (name: string) => (typeof details[name] === 'string' ? details[name] : null);
  return {
    at: toIsoSeconds(createdAt),
    address: remoteAddr,
    user_agent: text('user_agent') ?? '',
    with: text('with') ?? '',
    second_factor: text('second_factor'),
  };
}
