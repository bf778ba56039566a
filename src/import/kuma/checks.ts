import { MAX_DURATION_SECONDS, MIN_DURATION_SECONDS } from '../../domain/check/settings.ts';
import { ALIAS_TOKEN } from '../../domain/ping/dialect.ts';
import { SLUG_MAX_LENGTH, slugOf } from '../../domain/slug.ts';
import { TEXT_LIMITS } from '../../domain/text-limits.ts';
import type { Instant } from '../../lib/instant.ts';
import { firstCharacters } from '../../lib/text/excerpt.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import type { ImportedCheck } from '../../services/importing/import.ts';
import type { KnownCheck } from '../../services/importing/known-checks.ts';
import type { RemarkList } from '../remarks.ts';
import type { KumaDatabase, Monitor } from './database.ts';
import { type History, historyOf } from './history.ts';

/** A check with everything that Kuma knows of it. */
export interface KumaCheck {
  readonly imported: ImportedCheck;
  readonly pings: History['pings'];
  readonly newestPingAt: Instant | null;
}

export interface CheckOptions {
  readonly project: string;
  readonly now: Instant;
  uuidOf(entry: string): string;
  /** All checks of the project that exist here, by UUID. */
  readonly known: ReadonlyMap<string, KnownCheck>;
  /** The UUIDs of the integrations that a notification has become. */
  readonly channels: ReadonlyMap<number, readonly string[]>;
}

const OTHER_TYPES =
  'Tocsin watches jobs that report themselves. For what must be asked (http, ping, dns …) run Gatus, or keep Uptime Kuma, beside it; both can push here.';

/** Makes a check of each push monitor. */
export function checksOf(database: KumaDatabase, options: CheckOptions, remarks: RemarkList): KumaCheck[] {
  const monitors = database.monitors();
  const groups = new Map(monitors.map((monitor) => [monitor.id, monitor]));
  reportOthers(monitors, options, remarks);
  const pushed = monitors.filter(({ type, isUpsideDown }) => type === 'push' && !isUpsideDown);
  const slugs = slugsFor(pushed, options);
  const tokens = new Set<string>();
  const [tags, assignments] = [database.tags(), database.assignments()];
  return pushed.map((monitor) => {
    const uuid = options.uuidOf(entryOf(monitor));
    const above = groupsAbove(monitor, groups);
    const isActive = [monitor, ...above].every((one) => one.isActive);
    const slug = slugs.get(monitor.id) ?? '';
    const about = { project: options.project, slug, remarks };
    const history = historyOf(database, monitor, isActive, options.known.get(uuid)?.imported ?? null);
    const channels = (assignments.get(monitor.id) ?? []).flatMap((id) => options.channels.get(id) ?? []);
    return {
      imported: {
        declared: {
          line: 0,
          uuid,
          slug,
          edit: {
            slug,
            name: nameOf(monitor, about),
            tags: tagsOf(
              [...(tags.get(monitor.id) ?? []), ...above.map(({ name }) => name).reverse()],
              about,
            ),
            description: cut('desc', monitor.description, TEXT_LIMITS.checkDescription, about),
            ...timingOf(monitor, about),
            manualResume: !isActive,
          },
          channels: [...new Set(channels)].join(','),
        },
        createdAt: monitor.createdAt ?? options.now,
        badgeKey: null,
        state: history.state,
        flips: history.flips,
        aliases: aliasesOf(monitor, tokens, about),
      },
      pings: history.pings,
      newestPingAt: history.newestPingAt,
    };
  });
}

function entryOf({ id }: Monitor): string {
  return `monitor ${id}`;
}

interface About {
  readonly project: string;
  readonly slug: string;
  readonly remarks: RemarkList;
}

function changed(
  { project, slug, remarks }: About,
  change: { field: string; was: unknown; became: unknown; reason: string },
): void {
  remarks.change({ entry: `check ${project}/${slug}`, ...change });
}

/** What is missing altogether comes first. */
function reportOthers(
  monitors: readonly Monitor[],
  { project }: Pick<CheckOptions, 'project'>,
  remarks: RemarkList,
): void {
  const left = (what: string, { name }: Monitor, reason: string) =>
    remarks.leaveOut({ what, name, project, reason });
  const others = monitors.filter(({ type }) => type !== 'push' && type !== 'group');
  if (others.length > 0)
    remarks.leaveOut({
      what: 'monitors of other types',
      name: String(others.length),
      project: null,
      reason: 'they ask, and no job reports',
      hint: OTHER_TYPES,
    });
  for (const one of others) left('monitor', one, `its type is ${oneLine(firstCharacters(one.type, 30))}`);
  const pushed = monitors.filter(({ type }) => type === 'push');
  for (const one of pushed.filter(({ isUpsideDown }) => isUpsideDown))
    left('monitor', one, 'it is upside down: here silence is bad news');
  for (const one of monitors.filter(({ type }) => type === 'group'))
    left('group', one, `checks in it have the tag ${tagOf(one.name) || '(none)'}`);
  const carried = pushed.filter(({ isUpsideDown }) => !isUpsideDown);
  for (const one of carried.filter(({ resendInterval }) => resendInterval > 0))
    left('repeated alerts', one, 'an alert is sent once; reminders by mail repeat it');
  for (const one of carried.filter(({ retries }) => retries > 0))
    left('retries of a failing push', one, 'a failure is told at once; only silence has a grace time');
}

/** The groups around a monitor, the nearest first. Rows that name each other in a circle end it. */
function groupsAbove(monitor: Monitor, all: ReadonlyMap<number, Monitor>): Monitor[] {
  const found = new Set<Monitor>();
  let above = all.get(monitor.parent ?? -1);
  while (above !== undefined && above !== monitor && !found.has(above)) {
    found.add(above);
    above = all.get(above.parent ?? -1);
  }
  return [...found];
}

/** A check keeps the slug that it has here. Others get the first free one, in the order of Kuma's ids. */
function slugsFor(monitors: readonly Monitor[], { uuidOf, known }: CheckOptions): Map<number, string> {
  const found = new Map<number, string>();
  const taken = new Set([...known.values()].map(({ slug }) => slug));
  for (const monitor of monitors) {
    const kept = known.get(uuidOf(entryOf(monitor)))?.slug;
    const slug = kept ?? freeSlug(slugOf(monitor.name) || `monitor-${monitor.id}`, taken);
    taken.add(slug);
    found.set(monitor.id, slug);
  }
  return found;
}

function freeSlug(wanted: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wanted)) return wanted;
  for (let number = 2; ; number++) {
    const ending = `-${number}`;
    const slug = wanted.slice(0, SLUG_MAX_LENGTH - ending.length) + ending;
    if (!taken.has(slug)) return slug;
  }
}

function nameOf({ name }: Monitor, about: About): string {
  return cut('name', oneLine(name), TEXT_LIMITS.checkName, about);
}

function cut(field: string, text: string, most: number, about: About): string {
  const kept = firstCharacters(text, most);
  if (kept.length < text.length)
    changed(about, { field, was: text, became: kept, reason: `cut at ${most} characters` });
  return kept;
}

/** `Team Ops: night` becomes `team-ops:-night`. A tag has no spaces. */
function tagOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}._:]+/gu, '-')
    .replace(/^-+|-+$/g, '');
}

function tagsOf(texts: readonly string[], about: About): string {
  const tags = [...new Set(texts.map(tagOf))].filter((tag) => tag !== '');
  let joined = '';
  for (const tag of tags) {
    const longer = joined === '' ? tag : `${joined} ${tag}`;
    if (firstCharacters(longer, TEXT_LIMITS.checkTags) !== longer) {
      const reason = `tags have at most ${TEXT_LIMITS.checkTags} characters`;
      changed(about, { field: 'tags', was: tags.join(' '), became: joined, reason });
      break;
    }
    joined = longer;
  }
  return joined;
}

function timingOf(monitor: Monitor, about: About): { timeoutSeconds: number; graceSeconds: number } {
  const { interval, retries } = monitor;
  const retryInterval = monitor.retryInterval > 0 ? monitor.retryInterval : interval;
  const grace = Math.max(0, retries) * retryInterval;
  return {
    timeoutSeconds: within('timeout', interval, about),
    // Without retries Kuma has no grace time, so there is nothing to report.
    graceSeconds: grace <= 0 ? MIN_DURATION_SECONDS : within('grace', grace, about),
  };
}

function within(field: string, given: number, about: About): number {
  const became = Math.min(Math.max(Math.round(given), MIN_DURATION_SECONDS), MAX_DURATION_SECONDS);
  if (became !== given)
    changed(about, {
      field,
      was: given,
      became,
      reason: `${MIN_DURATION_SECONDS} seconds to ${MAX_DURATION_SECONDS / 86_400} days are allowed`,
    });
  return became;
}

function aliasesOf(
  { name, pushToken }: Monitor,
  tokens: Set<string>,
  { project, remarks }: About,
): ImportedCheck['aliases'] {
  const isTaken = tokens.has(pushToken);
  tokens.add(pushToken);
  if (!isTaken && ALIAS_TOKEN.test(pushToken)) return [{ dialect: 'kuma', token: pushToken }];
  const reason = isTaken
    ? 'another monitor has the same push token'
    : 'its push token has not 8 to 64 letters, digits, hyphens or underscores';
  remarks.leaveOut({
    what: 'push address',
    name,
    project,
    reason,
    hint: 'use the address of the check here',
  });
  return [];
}
