import type { AppError } from '../domain/errors.ts';
import type { AccountPermission, Permission } from '../domain/people/permission.ts';
import type { ChannelTools } from '../services/alert/channel-tools.ts';
import type { CheckWriter } from '../services/check/check-writer.ts';
import type { Actor } from '../services/core/actor.ts';
import type { Instance } from '../services/instance/instance.ts';
import type { AccountActor } from '../services/people/account-actor.ts';
import type { Client } from '../services/people/client.ts';
import type { AccountDeps } from '../services/people/deps.ts';
import type { SignedIn } from '../services/people/sessions.ts';
import type { PingWriter } from '../services/ping/ping-writer.ts';
import type { Cookies } from '../wire/dashboard/cookies.ts';
import type { Site } from '../wire/site.ts';

/** The place that an operation's address names. Visitors are not signed in. */
export type Place = 'visitor' | 'person' | 'project' | 'check';

/** Asked before the input is read. */
export type PermissionAt<P extends Place> = P extends 'visitor'
  ? null
  : P extends 'person'
    ? AccountPermission
    : Permission;

/** The caller and the place. It is plain data, because it is sent to other threads. */
export interface AskedAt {
  readonly person: { readonly person: AccountActor };
  readonly project: AskedAt['person'] & { readonly actor: Actor };
  readonly check: AskedAt['project'] & { readonly checkId: number };
}

/** The caller with facts that only the thread that has the request knows. */
export interface PresentAt {
  readonly visitor: {
    readonly client: Client;
    /** The token in the cookie of the session. It may be wrong. */
    readonly token: string | null;
    readonly log: { warn(event: object): void };
    /** Adds a `Set-Cookie` header to the answer. */
    setCookie(value: string): void;
  };
  readonly person: PresentAt['visitor'] & AskedAt['person'] & { readonly signedIn: SignedIn };
  readonly project: PresentAt['person'] & AskedAt['project'];
  readonly check: PresentAt['project'] & AskedAt['check'];
}

/** Dependencies of operations on the thread that has the request. */
export interface OperationDeps extends AccountDeps {
  readonly site: Site;
  readonly cookies: Cookies;
  readonly instance: Instance;
  readonly channelTools: ChannelTools;
  /** The text of an error, for people. */
  readonly refusalText: (error: AppError) => string;
  readonly checkWriter: Pick<CheckWriter, 'perform'>;
  readonly pings: Pick<PingWriter, 'record'>;
  /** The number of bytes of a ping's body that are kept. Null: the first 10 MiB. */
  readonly pingBodyLimit: number | null;
}

/** The fields of an operation that is sent nothing. */
export type Nothing = Readonly<Record<never, never>>;
