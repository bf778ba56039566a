import {
  type Account,
  type MailPreferences,
  REMINDER_PERIODS,
  REMINDER_SECONDS,
} from '../../domain/people/account.ts';
import type { AccountToken } from '../../domain/people/account-token.ts';
import { maskedToken } from '../../domain/people/api-key.ts';
import type { Act } from '../../domain/people/audit.ts';
import type { Identity } from '../../domain/people/identity.ts';
import type { Passkey } from '../../domain/people/passkey.ts';
import type { Project } from '../../domain/people/project.ts';
import { type Authenticator, RECOVERY_CODE_COUNT } from '../../domain/people/second-factor.ts';
import type { Session } from '../../domain/people/session.ts';
import { type Instant, toIsoSeconds } from '../../lib/instant.ts';
import { useJson } from '../api/key-output.ts';

/** Everything that is known of a person. */
export interface PersonalData {
  readonly profile: { readonly account: Account; readonly preferences: MailPreferences };
  readonly sessions: readonly Session[];
  readonly secondFactors: {
    readonly authenticator: Authenticator | null;
    readonly passkeys: readonly Passkey[];
    readonly recoveryCodesLeft: number;
  };
  readonly identities: readonly Identity[];
  readonly tokens: readonly { readonly token: AccountToken; readonly projects: readonly string[] | null }[];
  /** Projects that the person owns or is a member of. */
  readonly projects: readonly Project[];
  /** The person's acts, the latest first. Read while they are used. */
  readonly acts: AsyncIterable<Act>;
  /** When it was read. */
  readonly now: Instant;
}

/** All of it as one JSON object, in pieces: the list of acts may be long. People keep the file, so its words stay. */
export async function* exportPieces(data: PersonalData): AsyncGenerator<string> {
  const { profile, sessions, secondFactors, identities, tokens, projects, acts, now } = data;
  const parts = {
    account: accountJson(profile),
    sessions: sessions.map(({ uuid, createdAt, lastSeenAt, remoteAddr, userAgent }) => ({
      uuid,
      created: toIsoSeconds(createdAt),
      last_seen: toIsoSeconds(lastSeenAt),
      address: remoteAddr,
      user_agent: userAgent,
    })),
    second_factors: secondFactorsJson(secondFactors),
    identities: identities.map(({ uuid, issuer, email, createdAt, lastUsedAt }) => ({
      ...{ uuid, issuer, email },
      created: toIsoSeconds(createdAt),
      last_used: toIsoSeconds(lastUsedAt),
    })),
    tokens: tokens.map(({ token, projects: uuids }) => ({
      uuid: token.uuid,
      name: token.name,
      token: maskedToken(token.lookup),
      scopes: token.scopes,
      projects: uuids,
      created: toIsoSeconds(token.createdAt),
      ...useJson(token, now),
    })),
    projects: projects.map(({ uuid, name, ownerId, createdAt }) => ({
      ...{ uuid, name },
      is_owner: ownerId === profile.account.id,
      created: toIsoSeconds(createdAt),
    })),
  };
  yield `${JSON.stringify(parts).slice(0, -1)},"acts":[`;
  let separator = '';
  for await (const act of acts) {
    yield separator + JSON.stringify(actJson(act));
    separator = ',';
  }
  yield ']}';
}

function accountJson({ account, preferences }: PersonalData['profile']) {
  const { uuid, email, name, isAdmin, passwordHash, createdAt, theme, limits } = account;
  const { tz, reports, reminderSeconds, language, dateFormat, clock } = preferences;
  const reminders = REMINDER_PERIODS.find((period) => REMINDER_SECONDS[period] === reminderSeconds) ?? 'off';
  return {
    ...{ uuid, email, name, theme, tz, reports, reminders, language, clock },
    date_format: dateFormat,
    next_report: toIsoSeconds(preferences.nextReportAt),
    next_reminder: toIsoSeconds(preferences.nextReminderAt),
    is_admin: isAdmin,
    has_password: passwordHash !== null,
    created: toIsoSeconds(createdAt),
    limits: { checks: limits.checks, pings: limits.pings },
  };
}

function secondFactorsJson({ authenticator, passkeys, recoveryCodesLeft }: PersonalData['secondFactors']) {
  return {
    authenticator: authenticator && { created: toIsoSeconds(authenticator.createdAt) },
    passkeys: passkeys.filter(({ kind }) => kind === 'passkey').length,
    security_keys: passkeys.filter(({ kind }) => kind === 'security_key').length,
    count: passkeys.length + (authenticator === null ? 0 : 1),
    recovery_codes_left: recoveryCodesLeft,
    recovery_codes_made: RECOVERY_CODE_COUNT,
    keys: passkeys.map(({ uuid, kind, name, createdAt, lastUsedAt }) => ({
      ...{ uuid, kind, name },
      created: toIsoSeconds(createdAt),
      last_used: toIsoSeconds(lastUsedAt),
    })),
  };
}

/** An entry of the audit log. */
export function actJson({ createdAt, actor, means, remoteAddr, action, subject, details }: Act) {
  const { kind, id, name } = subject;
  return {
    at: toIsoSeconds(createdAt),
    ...{ actor, means, address: remoteAddr, action, subject: { kind, id, name }, details },
  };
}
