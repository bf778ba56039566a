import { type ActDetails, changedNames, differences, logged } from '../domain/audit.ts';
import { type Check, type CheckConfig, DEFAULT_CONFIG } from '../domain/check.ts';
import type { Writes } from '../storage/store.ts';
import type { Actor } from './actor.ts';
import { recordInProject } from './audit.ts';
import type { CheckWithChannels } from './check-list.ts';
import type { Deps } from './deps.ts';

/** The settings of a check, by their names in the log. */
const FIELDS = Object.keys(DEFAULT_CONFIG).map((field): [keyof CheckConfig, string] => [
  // DEFAULT_CONFIG has exactly the keys of CheckConfig.
  field as keyof CheckConfig,
  field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
]);

type Act =
  | { readonly action: 'check.created' | 'check.deleted'; readonly details: ActDetails }
  /** Without details nothing has changed, and there is nothing to record. */
  | {
      readonly action: 'check.updated' | 'check.paused' | 'check.resumed';
      readonly details: ActDetails | null;
    };

/**
 * Records what the actor did to the check. What the program does by itself is part of another act, such as the end of
 * the project, and has no entry of its own.
 */
export async function recordOnCheck(
  deps: Pick<Deps, 'clock'>,
  tx: Writes,
  actor: Pick<Actor, 'by' | 'projectId'>,
  { uniqueKey, name, slug }: Pick<Check, 'uniqueKey' | 'name' | 'slug'>,
  { action, details }: Act,
): Promise<void> {
  if (details === null || actor.by.means === 'program') return;
  // Not the UUID: whoever knows it can ping.
  const subject = { kind: 'check', id: uniqueKey, name: name || slug };
  await recordInProject(deps, tx, actor, { action, subject, details });
}

/** What differs from a check of which nothing was set. */
export function chosenSettings(settings: CheckWithChannels): ReturnType<typeof logged> {
  const chosen = settingsOf(settings);
  return logged(chosen, changedNames(DEFAULTS, chosen));
}

/** What changed, before and after. Null if nothing did. */
export function changedSettings(before: CheckWithChannels, after: CheckWithChannels): ActDetails | null {
  return differences(settingsOf(before), settingsOf(after));
}

function settingsOf({
  check,
  channelUuids,
}: {
  readonly check: CheckConfig;
  readonly channelUuids: readonly string[];
}): Readonly<Record<string, unknown>> {
  const settings: Record<string, unknown> = { channels: channelUuids };
  for (const [field, name] of FIELDS) settings[name] = check[field];
  return settings;
}

const DEFAULTS = settingsOf({ check: DEFAULT_CONFIG, channelUuids: [] });
