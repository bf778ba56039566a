import type { Channel } from '../../domain/alert/channel.ts';
import type { CheckState } from '../../domain/check/check.ts';
import type { Flip } from '../../domain/check/flip.ts';
import type { Account } from '../../domain/people/account.ts';
import type { Passkey } from '../../domain/people/passkey.ts';
import type { ApiKey } from '../../domain/people/project.ts';
import type { PingDialect } from '../../domain/ping/dialect.ts';
import type { NewPing } from '../../domain/ping/ping.ts';
import type { AddressForm } from '../../domain/ping/ping-address.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Declaration, DeclaredCheck } from '../provisioning/declaration.ts';

/** An installation of another program, as it is going to be here: what a file can declare, and beside it what no file can say. */
export interface Import {
  readonly origin: Origin;
  /** Accounts and projects, without checks. Every project and integration has a UUID, by which the next import finds it again. */
  readonly declaration: Declaration;
  /** More about declared accounts, by e-mail address. */
  readonly accounts: ReadonlyMap<string, ImportedAccount>;
  /** More about declared projects, by UUID. */
  readonly projects: ReadonlyMap<string, ImportedProject>;
  /** More about declared integrations, by UUID. */
  readonly channels: ReadonlyMap<string, ImportedChannel>;
  /**
   * The checks of the declared projects, some hundreds of a project at a time, so that nobody holds all of them. They can be
   * read again, and are the same, until the pings are read.
   */
  checks(): AsyncIterable<ChecksOfProject>;
  /** The pings of all checks, ordered by place, from the first one after the given place. The pings of a check are in order of their numbers. */
  pings(afterPlace: number): AsyncIterable<ImportedPing>;
  /** Known from the source alone, as soon as the checks are read. */
  readonly remarks: Remarks;
  /** Settings of the server that the integrations need, whether they are set here or not. */
  readonly needs: readonly NeededSetting[];
  /** Values of such settings that the source knows. */
  readonly settings: ReadonlyMap<string, string>;
  /** Reasons to refuse the whole import. */
  readonly refusals: readonly string[];
}

export interface Origin {
  readonly program: 'healthchecks' | 'kuma';
  readonly version: string;
  /** The same for every import from this installation, and for no other. A digest that discloses nothing. */
  readonly identity: string;
  /** Null if it has no pings. */
  readonly newestPingAt: Instant | null;
}

export interface ImportedAccount extends Pick<Account, 'createdAt' | 'isActive' | 'passwordHash'> {
  readonly addressForm: AddressForm;
  /** The secret of an authenticator app in base32. Null if the account has none. */
  readonly totpSecret: string | null;
  readonly securityKeys: readonly Pick<Passkey, 'name' | 'credentialId' | 'publicKey' | 'createdAt'>[];
}

export interface ImportedProject {
  /** Null: it gets a new one. */
  readonly badgeKey: string | null;
  /** Keys that are known only by their digest under the secret of the other program. The declaration has the others. */
  readonly digestedKeys: readonly Pick<ApiKey, 'kind' | 'lookup' | 'digest'>[];
}

export type ImportedChannel = Pick<Channel, 'lastAttempt' | 'off'>;

export interface ChecksOfProject {
  readonly projectUuid: string;
  readonly checks: readonly ImportedCheck[];
}

export interface ImportedCheck {
  /** The next import finds it again by its UUID. */
  readonly declared: DeclaredCheck & { readonly uuid: string };
  readonly createdAt: Instant;
  /** Null: it gets a new one. */
  readonly badgeKey: string | null;
  readonly state: ImportedState;
  /** The oldest first. */
  readonly flips: readonly Pick<Flip, 'createdAt' | 'oldStatus' | 'newStatus' | 'reason'>[];
  /** Its tokens in addresses of other programs. The project accepts their dialects from then on. */
  readonly aliases: readonly { readonly dialect: PingDialect; readonly token: string }[];
}

/** The rest of a check's state follows from these fields, its settings and its flips. */
export type ImportedState = Pick<
  CheckState,
  | 'status'
  | 'pingCount'
  | 'lastPingAt'
  | 'lastStartAt'
  | 'lastStartRid'
  | 'lastDuration'
  | 'hasConfirmationLink'
>;

export interface ImportedPing extends Omit<NewPing, 'checkId'> {
  /** Its place among all pings of the source, from 1. The next import has the same places, and further ones. */
  readonly place: number;
  readonly checkUuid: string;
  /** The length of a body that is in object storage. Null if there is none. */
  readonly longBodySize: number | null;
}

/** What differs from the source, for the report. Secrets are masked. */
export interface Remarks {
  readonly changed: readonly ChangedField[];
  readonly notCarried: readonly NotCarried[];
}

export interface ChangedField {
  /** `check Alpha/nightly` */
  readonly entry: string;
  readonly field: string;
  readonly was: unknown;
  readonly became: unknown;
  readonly reason: string;
}

/** An entry that is left out, or many of one sort. */
export interface NotCarried {
  /** `integration`, `sessions` */
  readonly what: string;
  /** Of many, their number: `12`. */
  readonly name: string;
  /** The name of its project. Null if it belongs to none. */
  readonly project: string | null;
  readonly reason: string;
  /** What people can do about it. */
  readonly hint: string | null;
}

export interface NeededSetting {
  readonly setting: string;
  /** `telegram (3)` */
  readonly for: string;
}
