import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Check } from '../../domain/check/check.ts';
import { type CheckConfig, DEFAULT_CONFIG, SETTING_NAMES } from '../../domain/check/settings.ts';
import { type ActDetails, logged } from '../../domain/people/audit.ts';
import { snakeCase } from '../../lib/snake-case.ts';
import type { Writes } from '../../storage/store.ts';
import type { Actor } from '../core/actor.ts';
import { recordInProject } from '../core/audit.ts';
import type { Deps } from '../core/deps.ts';
import type { CheckWithChannels } from './check-list.ts';

/** The settings of a check, by their names in the log. */
const FIELDS = SETTING_NAMES.map((field) => [field, snakeCase(field)] as const);

type Act =
  | {
      readonly action:
        | 'check.created'
        | 'check.deleted'
        | 'check.restored'
        | 'check.cleared'
        | 'check.pinged'
        | 'check.address_replaced'
        | 'check.alias_added'
        | 'check.alias_removed'
        | 'check.moved_out'
        | 'check.moved_in'
        | 'check.acknowledged'
        | 'check.unacknowledged'
        | 'check.snoozed'
        | 'check.unsnoozed';
      readonly details: ActDetails;
    }
  /** Without details nothing has changed, and there is nothing to record. */
  | {
      readonly action: 'check.updated' | 'check.paused' | 'check.resumed' | 'check.pause_undone';
      readonly details: ActDetails | null;
    };

type ActedOn = Pick<Check, 'uniqueKey' | 'name' | 'slug'>;

/** Records an act on the check. */
export async function recordOnCheck(
  deps: Pick<Deps, 'clock'>,
  tx: Writes,
  actor: Pick<Actor, 'by' | 'projectId'>,
  check: ActedOn,
  act: Act,
): Promise<void> {
  await recordOnChecks(deps, tx, actor, [[check, act]]);
}

/**
 * Records an act on each check. The program's own changes are part of another act, such as the end of the project, and
 * have no entry of their own.
 */
export async function recordOnChecks(
  deps: Pick<Deps, 'clock'>,
  tx: Writes,
  actor: Pick<Actor, 'by' | 'projectId'>,
  acts: readonly (readonly [ActedOn, Act])[],
): Promise<void> {
  if (actor.by.means === 'program') return;
  const recorded = acts.flatMap(([{ uniqueKey, name, slug }, { action, details }]) =>
    // Not the UUID: with it anybody can ping.
    details === null
      ? []
      : [{ action, subject: { kind: 'check', id: uniqueKey, name: name || slug }, details }],
  );
  await recordInProject(deps, tx, actor, ...recorded);
}

/** A check's settings and the UUIDs of its channels. */
interface Chosen {
  readonly check: CheckConfig;
  readonly channelUuids: readonly string[];
}

const NOTHING_CHOSEN: Chosen = { check: DEFAULT_CONFIG, channelUuids: [] };

/** Settings that differ from the defaults. */
export function chosenSettings(settings: CheckWithChannels): ActDetails {
  return changedSettings(NOTHING_CHOSEN, settings)?.after ?? {};
}

/** The changed settings, before and after, or null. Only these are copied, since every write of a check asks. */
export function changedSettings(
  before: Chosen,
  after: Chosen,
): { readonly before: ActDetails; readonly after: ActDetails } | null {
  const fields = FIELDS.filter(([field]) => before.check[field] !== after.check[field]);
  const isReassigned =
    before.channelUuids !== after.channelUuids && !isDeepStrictEqual(before.channelUuids, after.channelUuids);
  if (fields.length === 0 && !isReassigned) return null;
  const told = ({ check, channelUuids }: Chosen) => {
    const settings: Record<string, unknown> = isReassigned ? { channels: channelUuids } : {};
    for (const [field, name] of fields) settings[name] = check[field];
    return logged(settings);
  };
  return { before: told(before), after: told(after) };
}

/** Names these settings. Others have another version, and pings do not change it. */
export function settingsVersion(check: CheckConfig, channelUuids: readonly string[]): string {
  const values = [...FIELDS.map(([field]) => check[field]), ...channelUuids];
  return createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 16);
}
