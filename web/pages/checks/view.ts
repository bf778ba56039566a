import {
  CALM,
  isTrouble,
  type Placed,
  STANDINGS,
  type Standing,
  standingOf,
} from '../../../src/domain/history/standing.ts';
import type { CheckRowJson } from '../../../src/views/board-json.ts';

/* Which checks the list shows, and in which order. Nothing here knows the page. */

export const STATUS_FILTERS = [
  'down',
  'acknowledged',
  'late',
  'never_came',
  'running',
  'slow',
  'up',
  'snoozed',
  'quiet',
  'paused',
  'new',
] as const;

export type StatusFilter = (typeof STATUS_FILTERS)[number];

export const SORTS = ['attention', 'name', '-name', '-last_ping', 'last_ping', '-created'] as const;

export type Sort = (typeof SORTS)[number];

export const GROUPINGS = ['status', 'tag', 'none'] as const;

export type Grouping = (typeof GROUPINGS)[number];

/** Stands for checks to which no integration is assigned. */
export const NO_CHANNEL = 'none';

/** The state of the list in the address of the page. */
export interface View {
  /** The typed text. */
  readonly q: string;
  /** A check has one of them. */
  readonly statuses: readonly StatusFilter[];
  /** A check has all of them. */
  readonly tags: readonly string[];
  /** The UUID of an integration, or `none`. Null: any. */
  readonly channel: string | null;
  /** The UUID of a project, in the list over all of them. Null: any. */
  readonly project: string | null;
  /** Checks that turned bad in this time, as one lane shows them. */
  readonly since: string | null;
  readonly sort: Sort;
  readonly group: Grouping;
}

export const EVERYTHING: View = {
  q: '',
  statuses: [],
  tags: [],
  channel: null,
  project: null,
  since: null,
  sort: 'attention',
  group: 'status',
};

/** The query of a list's address, as the router reads it. */
export type ListSearch = {
  readonly [Name in
    | 'q'
    | 'status'
    | 'tag'
    | 'integration'
    | 'project'
    | 'since'
    | 'sort'
    | 'group']?: unknown;
};

const words = (value: unknown): string[] => text(value).split(' ').filter(Boolean);
const text = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
const oneOf = <T extends string>(choices: readonly T[], value: unknown): T | undefined =>
  choices.find((choice) => choice === value);

/** `kept` are the person's last choices, for parts that the address does not name. */
export function readView(search: ListSearch, kept: Partial<Pick<View, 'sort' | 'group'>> = {}): View {
  return {
    q: text(search.q),
    statuses: words(search.status).flatMap((word) => oneOf(STATUS_FILTERS, word) ?? []),
    tags: words(search.tag),
    channel: text(search.integration) || null,
    project: text(search.project) || null,
    since: text(search.since) || null,
    sort: oneOf(SORTS, search.sort) ?? kept.sort ?? EVERYTHING.sort,
    group: oneOf(GROUPINGS, search.group) ?? kept.group ?? EVERYTHING.group,
  };
}

/** The search parameters of a view. Defaults are left out. */
export function searchOf(view: View): Record<string, string> {
  const pairs: [string, string | null][] = [
    ['q', view.q.trim() || null],
    ['status', view.statuses.join(' ') || null],
    ['tag', view.tags.join(' ') || null],
    ['integration', view.channel],
    ['project', view.project],
    ['since', view.since],
    ['sort', view.sort === EVERYTHING.sort ? null : view.sort],
    ['group', view.group === EVERYTHING.group ? null : view.group],
  ];
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => pair[1] !== null));
}

export const isFiltered = ({ q, statuses, tags, channel, project, since }: View): boolean =>
  q.trim() !== '' ||
  statuses.length > 0 ||
  tags.length > 0 ||
  channel !== null ||
  project !== null ||
  since !== null;

/** A word of the search box: `tag:prod`, `-tag:test`, `status:down`, `name:back`, or part of a name, slug or id. */
interface Word {
  readonly about: 'tag' | 'status' | 'name' | 'any';
  readonly isUnwanted: boolean;
  readonly value: string;
}

export function readWords(q: string): Word[] {
  return (
    q
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '' && word !== '-')
      .map((word) => {
        const [, minus = '', about, value = ''] = /^(-?)(?:(tag|status|name):)?(.*)$/.exec(word) ?? [];
        return { about: (about ?? 'any') as Word['about'], isUnwanted: minus !== '', value };
      })
      // Somebody who has typed "tag:" goes on.
      .filter(({ value }) => value !== '')
  );
}

function fits({ about, value }: Word, row: CheckRowJson): boolean {
  switch (about) {
    case 'tag':
      return row.tags.some((tag) => tag.toLowerCase() === value);
    case 'status':
      return hasStatus(row, value);
    case 'name':
      return row.name.toLowerCase().includes(value);
    case 'any':
      return (
        row.name.toLowerCase().includes(value) ||
        row.slug.includes(value) ||
        row.uuid?.includes(value) === true ||
        row.key.startsWith(value) ||
        row.tags.some((tag) => tag.toLowerCase().includes(value))
      );
    default:
      return about satisfies never;
  }
}

export function hasStatus(row: CheckRowJson, status: string): boolean {
  if (status === 'running') return row.running;
  if (status === 'slow') return row.slow;
  return statusOf(row) === status;
}

/** The status of a check, by the name under which the list counts it. One that waits for another check is down. */
export function statusOf({ status, neverCame, standing, answer }: CheckRowJson): StatusFilter {
  if (standing === 'acknowledged') return standing;
  if (answer?.kind === 'snoozed' || answer?.kind === 'quiet') return answer.kind;
  return neverCame ? 'never_came' : status;
}

/** The row as it will be, shown before the server has answered. */
export function changed(row: CheckRowJson, change: Partial<Placed & CheckRowJson>): CheckRowJson {
  const after = { ...row, ...change };
  return { ...after, standing: standingOf(after) };
}

/** The most time between checks that turned bad and share a lane. */
const TOGETHER_MS = 300_000;

export function filtered(rows: readonly CheckRowJson[], view: View): readonly CheckRowJson[] {
  if (!isFiltered(view)) return rows;
  const wanted = readWords(view.q);
  return rows.filter((row) => {
    if (view.statuses.length > 0 && !view.statuses.some((status) => hasStatus(row, status))) return false;
    if (!view.tags.every((tag) => row.tags.includes(tag))) return false;
    if (view.channel === NO_CHANNEL && row.channels.length > 0) return false;
    if (view.channel !== null && view.channel !== NO_CHANNEL && !row.channels.includes(view.channel))
      return false;
    if (view.project !== null && row.project !== undefined && row.project !== view.project) return false;
    if (view.since !== null && !(isTroubled(row) && isTogether(row.since, view.since))) return false;
    return wanted.every((word) => fits(word, row) !== word.isUnwanted);
  });
}

function isTogether(since: string, first: string): boolean {
  const distance = Date.parse(since) - Date.parse(first);
  return distance >= 0 && distance <= TOGETHER_MS;
}

export const isTroubled = ({ standing }: CheckRowJson): boolean => isTrouble(standing);
/** Whether it is down, and somebody can take it. */
export const isUnanswered = ({ standing }: CheckRowJson): boolean =>
  standing === 'down' || standing === 'held';
export const isSilent = ({ standing }: CheckRowJson): boolean => !isTrouble(standing) && standing !== 'fine';

const collator = new Intl.Collator('en', { sensitivity: 'base', numeric: true });

/** Names in natural order: job2 before job10. */
export const byName = (one: CheckRowJson, other: CheckRowJson): number =>
  collator.compare(one.name, other.name) || collator.compare(one.key, other.key);

type Compare = (one: CheckRowJson, other: CheckRowJson) => number;

const textual = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Without a ping a check stands after all others, whichever way they are ordered. */
function byPing(direction: 1 | -1): Compare {
  return (one, other) => {
    if (one.lastPing === null || other.lastPing === null)
      return Number(one.lastPing === null) - Number(other.lastPing === null) || byName(one, other);
    return direction * textual(one.lastPing, other.lastPing) || byName(one, other);
  };
}

const RANKS = new Map<Standing, number>(STANDINGS.map((standing, rank) => [standing, rank]));

const rankOf = ({ standing }: CheckRowJson): number => RANKS.get(standing) ?? 0;

/** Trouble first, the worst before, and of the same kind what broke first; then the others by name. */
const byAttention: Compare = (one, other) =>
  rankOf(one) - rankOf(other) ||
  (isTroubled(one) ? textual(one.since, other.since) : 0) ||
  byName(one, other);

/** In every order, checks that are down and that nobody has stand first. */
const downFirst =
  (compare: Compare): Compare =>
  (one, other) =>
    Number(other.standing === 'down') - Number(one.standing === 'down') || compare(one, other);

const ORDERS: Readonly<Record<Sort, Compare | null>> = {
  attention: byAttention,
  name: downFirst(byName),
  '-name': downFirst((one, other) => byName(other, one)),
  last_ping: downFirst(byPing(1)),
  '-last_ping': downFirst(byPing(-1)),
  // The server sends them in order of creation.
  '-created': null,
};

export function sorted(rows: readonly CheckRowJson[], sort: Sort): readonly CheckRowJson[] {
  const order = ORDERS[sort];
  if (order === null) return rows.toReversed();
  const inOrder = rows.toSorted(order);
  return sort === 'attention' ? underParents(inOrder) : inOrder;
}

/** Checks that wait for another one follow it. Without it they keep their places. */
function underParents(rows: readonly CheckRowJson[]): readonly CheckRowJson[] {
  const shown = new Set(rows.map(({ key }) => key));
  const parentOf = ({ standing, answer }: CheckRowJson) =>
    standing === 'held' && answer?.parent !== undefined && shown.has(answer.parent) ? answer.parent : null;
  const children = Map.groupBy(rows, parentOf);
  if (children.size < 2) return rows;
  const placed = new Set<CheckRowJson>();
  const place = (row: CheckRowJson) => {
    if (placed.has(row)) return;
    placed.add(row);
    for (const child of children.get(row.key) ?? []) place(child);
  };
  for (const row of children.get(null) ?? []) place(row);
  // None is left out, even if links went round in a circle.
  for (const row of rows) place(row);
  return [...placed];
}

export interface Group {
  readonly id: string;
  readonly name: string | null;
  readonly rows: readonly CheckRowJson[];
}

/** The groups of a list that is in order already. A check with several tags is in several groups. */
export function grouped(rows: readonly CheckRowJson[], grouping: Grouping): Group[] {
  if (grouping === 'none') return [{ id: 'all', name: null, rows }];
  if (grouping === 'status') {
    const byKind = Map.groupBy(rows, ({ standing }) => (isTrouble(standing) ? 'attention' : standing));
    return (['attention', ...CALM] as const).flatMap((id) => {
      const some = byKind.get(id);
      return some === undefined ? [] : [{ id, name: null, rows: some }];
    });
  }
  const byTag = new Map<string, CheckRowJson[]>();
  for (const row of rows) {
    for (const tag of row.tags.length === 0 ? [''] : new Set(row.tags)) {
      const same = byTag.get(tag);
      if (same === undefined) byTag.set(tag, [row]);
      else same.push(row);
    }
  }
  return [...byTag]
    .toSorted(([one], [other]) => Number(one === '') - Number(other === '') || collator.compare(one, other))
    .map(([tag, some]) => ({ id: tag === '' ? 'untagged' : `tag ${tag}`, name: tag || null, rows: some }));
}

/** A tag with the statuses of its checks. */
export interface TagCount {
  readonly tag: string;
  readonly total: number;
  readonly down: number;
  readonly late: number;
}

export function countTags(rows: readonly CheckRowJson[]): TagCount[] {
  const counts = new Map<string, { total: number; down: number; late: number }>();
  for (const { tags, standing } of rows) {
    for (const tag of new Set(tags)) {
      const count = counts.get(tag) ?? { total: 0, down: 0, late: 0 };
      counts.set(tag, count);
      count.total++;
      if (standing === 'down') count.down++;
      if (standing === 'late') count.late++;
    }
  }
  return [...counts]
    .map(([tag, count]) => ({ tag, ...count }))
    .toSorted((one, other) => collator.compare(one.tag, other.tag));
}

export function countStatuses(rows: readonly CheckRowJson[]): Record<StatusFilter, number> {
  // Each of them is a key.
  const counts = Object.fromEntries(STATUS_FILTERS.map((status) => [status, 0])) as Record<
    StatusFilter,
    number
  >;
  for (const row of rows) {
    counts[statusOf(row)]++;
    if (row.running) counts.running++;
    if (row.slow) counts.slow++;
  }
  return counts;
}

const CSV_FIELDS = [
  'name',
  'slug',
  'tags',
  'status',
  'since',
  'lastPing',
  'lastDuration',
  'schedule',
  'tz',
  'grace',
  'uuid',
  'key',
] as const;

/** The shown rows, for a spreadsheet. */
export function csvOf(rows: readonly CheckRowJson[]): string {
  const lines = rows.map((row) =>
    CSV_FIELDS.map((field) => quoted(field === 'tags' ? row.tags.join(' ') : (row[field] ?? ''))).join(),
  );
  const head = CSV_FIELDS.map((field) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  return `${[head.join(), ...lines].join('\r\n')}\r\n`;
}

/** Text that begins like a formula would be computed by a spreadsheet. */
function quoted(value: string | number): string {
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
