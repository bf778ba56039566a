import { type Account, type MailPreferences, REMINDER_SECONDS } from '../../domain/people/account.ts';
import type { Act } from '../../domain/people/audit.ts';
import type { Identity } from '../../domain/people/identity.ts';
import type { Project } from '../../domain/people/project.ts';
import type { Session } from '../../domain/people/session.ts';
import { type Instant, toIsoSeconds } from '../../lib/instant.ts';
import { identityJson } from './identity-output.ts';
import { passkeyJson, type SecondFactorsData, secondFactorsJson } from './second-factors-output.ts';
import { type TokenData, tokenJson } from './token-output.ts';

/** What is lost with an account. */
export type { Closing } from '../../domain/people/account.ts';

/** The account as its owner sees it. */
export interface AccountJson {
  readonly uuid: string;
  readonly email: string;
  readonly name: string;
  readonly is_admin: boolean;
  readonly has_password: boolean;
  readonly created: string;
  readonly theme: string;
  readonly tz: string;
  readonly reports: string;
  readonly reminders: string;
  /** How dates are written. An empty language is that of the browser. */
  readonly language: string;
  readonly date_format: string;
  readonly clock: string;
  /** When the next report comes. Null while reports are off. */
  readonly next_report: string | null;
  /** When the next reminder comes. Null while nothing is down, or reminders are off. */
  readonly next_reminder: string | null;
  readonly limits: { readonly checks: number; readonly pings: number };
}

export interface ProfileData {
  readonly account: Account;
  readonly preferences: MailPreferences;
}

export function accountJson({ account, preferences }: ProfileData): AccountJson {
  const { uuid, email, name, isAdmin, passwordHash, createdAt, theme, limits } = account;
  const { tz, reports, reminderSeconds, language, dateFormat, clock } = preferences;
  const { nextReportAt, nextReminderAt } = preferences;
  const [reminders = 'off'] =
    Object.entries(REMINDER_SECONDS).find(([, seconds]) => seconds === reminderSeconds) ?? [];
  return {
    ...{ uuid, email, name, theme, tz, reports, reminders, language, clock },
    date_format: dateFormat,
    next_report: toIsoSeconds(nextReportAt),
    next_reminder: toIsoSeconds(nextReminderAt),
    is_admin: isAdmin,
    has_password: passwordHash !== null,
    created: toIsoSeconds(createdAt),
    limits: { checks: limits.checks, pings: limits.pings },
  };
}

/** An entry of the audit log. */
export interface ActJson {
  readonly at: string;
  readonly actor: string;
  readonly means: string;
  readonly address: string | null;
  readonly action: string;
  readonly subject: { readonly kind: string; readonly id: string; readonly name: string };
  readonly details: Readonly<Record<string, unknown>>;
}

export function actJson({ createdAt, actor, means, remoteAddr, action, subject, details }: Act): ActJson {
  const { kind, id, name } = subject;
  return {
    at: toIsoSeconds(createdAt),
    ...{ actor, means, address: remoteAddr, action, subject: { kind, id, name }, details },
  };
}

/** All data of a person as one JSON object, in pieces: the list of acts may be long. */
export async function* exportPieces({
  profile,
  sessions,
  secondFactors,
  identities,
  tokens,
  projects,
  acts,
  now,
}: {
  readonly profile: ProfileData;
  readonly sessions: readonly Session[];
  readonly secondFactors: SecondFactorsData;
  readonly identities: readonly Identity[];
  readonly tokens: readonly TokenData[];
  readonly projects: readonly Project[];
  readonly acts: AsyncIterable<Act>;
  readonly now: Instant;
}): AsyncGenerator<string> {
  const shownSessions = sessions.map(({ uuid, createdAt, lastSeenAt, remoteAddr, userAgent }) => ({
    uuid,
    created: toIsoSeconds(createdAt),
    last_seen: toIsoSeconds(lastSeenAt),
    address: remoteAddr,
    user_agent: userAgent,
  }));
  const shownProjects = projects.map(({ uuid, name, ownerId, createdAt }) => ({
    uuid,
    name,
    is_owner: ownerId === profile.account.id,
    created: toIsoSeconds(createdAt),
  }));
  yield `{"account":${JSON.stringify(accountJson(profile))},"sessions":${JSON.stringify(shownSessions)}`;
  const shownFactors = { ...secondFactorsJson(secondFactors), keys: secondFactors.passkeys.map(passkeyJson) };
  yield `,"second_factors":${JSON.stringify(shownFactors)}`;
  yield `,"identities":${JSON.stringify(identities.map(identityJson))}`;
  yield `,"tokens":${JSON.stringify(tokens.map((token) => tokenJson(token, now)))}`;
  yield `,"projects":${JSON.stringify(shownProjects)},"acts":[`;
  let separator = '';
  for await (const act of acts) {
    yield separator + JSON.stringify(actJson(act));
    separator = ',';
  }
  yield ']}';
}
