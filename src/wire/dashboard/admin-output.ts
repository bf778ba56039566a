import type { Account, AccountLimits } from '../../domain/people/account.ts';
import type { Project } from '../../domain/people/project.ts';
import type { LoopTally, Measurements } from '../../domain/vitals.ts';
import type { EffectiveSetting } from '../../lib/env-setting.ts';
import { type Instant, MICROS_PER_SECOND, type Micros, toIsoSeconds } from '../../lib/instant.ts';

/** An account as administrators see it. */
export interface AdminAccountJson {
  readonly uuid: string;
  readonly email: string;
  readonly name: string;
  readonly is_admin: boolean;
  readonly is_active: boolean;
  readonly has_password: boolean;
  readonly created: string;
  readonly limits: AccountLimits;
}

export function adminAccountJson(account: Account): AdminAccountJson {
  const { uuid, email, name, isAdmin, isActive, passwordHash, createdAt, limits } = account;
  return {
    ...{ uuid, email, name },
    is_admin: isAdmin,
    is_active: isActive,
    has_password: passwordHash !== null,
    created: toIsoSeconds(createdAt),
    limits: { checks: limits.checks, pings: limits.pings },
  };
}

/** The same in a list, with what the account has. */
export interface AccountEntryJson extends AdminAccountJson {
  readonly checks: number;
  readonly projects: number;
  readonly last_seen: string | null;
  readonly has_second_factor: boolean;
}

export function accountEntryJson({
  account,
  usage: { checks, projects, lastSeenAt, hasSecondFactor },
}: {
  readonly account: Account;
  readonly usage: {
    readonly checks: number;
    readonly projects: number;
    readonly lastSeenAt: Instant | null;
    readonly hasSecondFactor: boolean;
  };
}): AccountEntryJson {
  return {
    ...adminAccountJson(account),
    ...{ checks, projects },
    last_seen: toIsoSeconds(lastSeenAt),
    has_second_factor: hasSecondFactor,
  };
}

export interface ProjectEntryJson {
  readonly uuid: string;
  readonly name: string;
  readonly owner: string;
  readonly created: string;
  readonly checks: number;
  readonly channels: number;
  readonly members: number;
}

export function projectEntryJson({
  project: { uuid, name, createdAt },
  usage: { ownerEmail, checks, channels, members },
}: {
  readonly project: Project;
  readonly usage: {
    readonly ownerEmail: string;
    readonly checks: number;
    readonly channels: number;
    readonly members: number;
  };
}): ProjectEntryJson {
  return { uuid, name, owner: ownerEmail, created: toIsoSeconds(createdAt), checks, channels, members };
}

export interface SettingJson {
  readonly name: string;
  readonly value: string | null;
  readonly origin: string;
  readonly doc: string;
}

export function settingJson({ name, value, origin, doc }: EffectiveSetting): SettingJson {
  return { name, value, origin, doc };
}

/** How a node does. Values are null while the database does not answer. */
export interface HealthJson {
  readonly version: string;
  /** Why the node is not ready. Empty if it is. */
  readonly reasons: readonly string[];
  readonly loops: readonly {
    readonly name: string;
    readonly ticks: number;
    readonly failures: number;
    readonly seconds_since_success: number;
    /** More than this is too long. */
    readonly max_seconds: number;
  }[];
  readonly queues: {
    readonly pings: number;
    readonly deliveries: number | null;
    readonly mails: number | null;
    readonly body_moves: number | null;
  };
  readonly late_seconds: { readonly deadlines: number | null; readonly deliveries: number | null };
  readonly seconds_since_write: number;
  readonly event_loop_lag_seconds: number;
  readonly memory_bytes: number;
  readonly database_bytes: number | null;
}

export function healthJson({
  measurements,
  databaseBytes,
}: {
  readonly measurements: Measurements;
  readonly databaseBytes: number | null;
}): HealthJson {
  const { version, ailments, loops, queueLength, backlog, lateness, sinceWrite } = measurements;
  const loop = ([name, { ticks, failures, sinceSuccess, bound }]: [string, LoopTally]) => ({
    ...{ name, ticks, failures },
    seconds_since_success: inSeconds(sinceSuccess),
    max_seconds: inSeconds(bound),
  });
  return {
    version,
    reasons: ailments,
    loops: Object.entries(loops).map(loop),
    queues: {
      pings: queueLength,
      deliveries: backlog?.openDeliveries ?? null,
      mails: backlog?.openMails ?? null,
      body_moves: backlog?.bodyMoves ?? null,
    },
    late_seconds: {
      deadlines: lateness && inSeconds(lateness.deadline),
      deliveries: lateness && inSeconds(lateness.delivery),
    },
    seconds_since_write: inSeconds(sinceWrite),
    event_loop_lag_seconds: measurements.eventLoopLagSeconds,
    memory_bytes: measurements.residentBytes,
    database_bytes: databaseBytes,
  };
}

function inSeconds(span: Micros): number {
  return Math.round(span / MICROS_PER_SECOND);
}
