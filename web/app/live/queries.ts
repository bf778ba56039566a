import type { Views } from '../../../src/views/index.ts';
import type { LiveChangeJson } from '../../../src/wire/dashboard/live-output.ts';

/*
 * Which queries a change makes stale follows from their keys:
 *
 *   ['project', uuid, 'checks' | 'timeline'] when a check of the project was touched
 *   ['check', ref, …]                        when that check was touched; `ref` is its UUID or its unique key
 *   ['person', …]                            only what `LIVE` says
 *
 * Of views, `LIVE` says it. Another query says otherwise with `meta: { live: … }`.
 */

/**
 * When a query is stale: when anything of its project was touched, a check, an integration, a status, whatever is set for the
 * project, its checks or an integration, or never.
 */
export type LiveScope = 'any' | 'checks' | 'integrations' | 'statuses' | 'settings' | 'never';

const SCOPES: Readonly<Record<string, LiveScope>> = {
  checks: 'checks',
  timeline: 'checks',
};

/** The views that a change makes stale, and how. Other views of a project are read again after acts alone. */
export const LIVE: Partial<Record<keyof Views, LiveScope>> = {
  channelOverview: 'integrations',
  channelCounts: 'integrations',
  channelDeliveries: 'integrations',
  channelChecks: 'integrations',
  // Nothing but the form changes it.
  channelPreview: 'never',
  ownProjects: 'statuses',
  checkHead: 'checks',
  allCheckHead: 'checks',
  checkDetails: 'checks',
  checkRows: 'statuses',
  quietTimes: 'statuses',
  alerting: 'settings',
  alertingUses: 'settings',
  timelineHead: 'statuses',
  timelineLanes: 'checks',
  // A ping does not change any more, and an open sheet must not change under the reader.
  pingPage: 'never',
  // A form must not change while somebody fills it in.
  editorChoices: 'never',
  editedCheck: 'never',
};

/** Feeds the title and the icon of the tab. So it is read again also while nobody sees the tab. */
export const TITLE_VIEW: keyof Views = 'ownProjects';

const FOLLOWED = ['project', 'check', 'person'];

/** A query, as far as it matters here. */
export interface AskedQuery {
  readonly queryKey: readonly unknown[];
  readonly scope: LiveScope | undefined;
}

/** `keyOf` gives the unique key of the check that a page calls by another name, if it is known. */
export function isTouched(
  { queryKey, scope }: AskedQuery,
  change: LiveChangeJson | 'everything',
  keyOf: (ref: string) => string | null,
): boolean {
  const [about, id, part] = queryKey;
  if (!FOLLOWED.includes(String(about)) || scope === 'never') return false;
  if (about === 'person' && scope === undefined) return false;
  if (change === 'everything') return true;
  if (about === 'person') return isOf(scope ?? 'never', change);
  if (about === 'project')
    return id === change.project && isOf(scope ?? SCOPES[String(part)] ?? 'never', change);
  return isOf('checks', change) && names(change, keyOf(String(id)) ?? String(id), keyOf(String(id)) !== null);
}

function isOf(scope: LiveScope, { checks, channels, statuses }: LiveChangeJson): boolean {
  const [touchesChecks, touchesChannels] = [checks.length > 0, channels.length > 0];
  switch (scope) {
    case 'any':
      return true;
    case 'checks':
      return touchesChecks;
    case 'integrations':
      return touchesChannels;
    case 'statuses':
      return statuses || checks === 'all';
    case 'settings':
      return statuses || checks === 'all' || touchesChannels;
    case 'never':
      return false;
    default:
      return scope satisfies never;
  }
}

/** If we do not know a check's unique key, we assume that the change is about it. */
function names({ checks }: LiveChangeJson, key: string, isKnown: boolean): boolean {
  return checks === 'all' || checks.includes(key) || !isKnown;
}
