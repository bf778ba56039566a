import type { CheckRowJson } from '../../../src/views/board-json.ts';
import type { SnoozeSpan } from '../../acts/snooze-spans.ts';
import { m } from '../../messages/index.ts';
import { NEW_QUIET_TIME } from '../../pages/alerting/quiet-time-anchors.ts';
import { isUnanswered, type ListSearch } from '../../pages/checks/view.ts';
import type { Shape } from '../../ui/glyph.tsx';
import { shownStatus } from '../../ui/status-pill.tsx';
import type { Destination } from '../destination.ts';
import type { OwnProject } from '../use-project.ts';
import { type SavedView, searchOfView } from '../views.ts';
import { type Match, matchText, type Range } from './search.ts';

/** Entries of a kind that are shown at once. */
const MAX_SHOWN = { checks: 6, views: 4, tags: 4, projects: 4, pages: 6, commands: 9 };

/** Something that can be chosen. */
export interface Entry {
  readonly id: string;
  readonly label: string;
  readonly range: Range | null;
  readonly icon: Shape | Icon;
  /** Said after the label. */
  readonly detail?: string;
  readonly keys?: string;
  /** The check whose sentence from the server is shown. */
  readonly checkKey?: string;
  readonly choice: Choice;
}

export type Icon = Place | 'page' | 'view' | 'tag' | 'command' | 'copy' | 'edit' | 'events' | 'add';

type Place =
  | 'checks'
  | 'timeline'
  | 'integrations'
  | 'status_pages'
  | 'badges'
  | 'settings'
  | 'projects'
  | 'all_checks'
  | 'account'
  | 'instance';

export type Choice =
  | { readonly kind: 'go'; readonly page: Destination }
  /** A page of the documentation, by its path there. */
  | { readonly kind: 'docs'; readonly path: string }
  | {
      readonly kind: 'pause' | 'resume' | 'copy' | 'acknowledge' | 'take_back' | 'end_snooze';
      readonly row: CheckRowJson;
    }
  | { readonly kind: 'snooze'; readonly row: CheckRowJson; readonly span: SnoozeSpan }
  | { readonly kind: 'theme'; readonly theme: 'light' | 'dark' | 'system' }
  | { readonly kind: 'help' | 'sign_out' };

export interface Group {
  readonly title: string;
  readonly entries: readonly Entry[];
}

export interface Sources {
  /** The checks of the open project. */
  readonly rows: readonly CheckRowJson[];
  /** The views of the open project. */
  readonly views: readonly SavedView[];
  readonly projects: readonly OwnProject[];
  readonly project: OwnProject | null;
  /** The check in the address of the open page. */
  readonly openCheck: string | null;
  readonly mayWrite: boolean;
  readonly isAdmin: boolean;
  /** For how long a check may be snoozed now. */
  readonly snoozes: readonly SnoozeSpan[];
}

/** The matching entries, best first: `>` asks for commands alone, `#` for tags. */
export function groupsFor(typed: string, sources: Sources): Group[] {
  if (typed.startsWith('>')) return shown([commandGroup(typed.slice(1), sources)]);
  if (typed.startsWith('#')) return shown([tagGroup(typed.slice(1), sources, true)]);
  const checks = checksFor(typed, sources);
  const about = aboutCheck(typed, checks, sources);
  const hasTyped = typed.trim() !== '';
  return shown([
    about !== null && typed === '' ? actionGroup(about, sources) : EMPTY,
    { title: m.palette.groups.checks, entries: checks.map(({ row, match }) => checkEntry(row, match)) },
    about !== null && hasTyped ? actionGroup(about, sources) : EMPTY,
    pageGroup(typed, sources),
    viewGroup(typed, sources),
    hasTyped ? tagGroup(typed, sources, false) : EMPTY,
    projectGroup(typed, sources),
    hasTyped ? commandGroup(typed, sources) : EMPTY,
    hasTyped ? docsGroup(typed.trim()) : EMPTY,
  ]);
}

const EMPTY: Group = { title: '', entries: [] };

const shown = (groups: readonly Group[]): Group[] => groups.filter(({ entries }) => entries.length > 0);

interface FoundCheck {
  readonly row: CheckRowJson;
  readonly match: CheckMatch;
}

interface CheckMatch extends Match {
  /** The tag by which it was found. */
  readonly tag: string | null;
}

const TROUBLE: Readonly<Record<string, number>> = { down: 0, late: 1 };

/** The best match first, then the worst status. Without a typed word, only checks in trouble. */
function checksFor(typed: string, { rows }: Sources): FoundCheck[] {
  const hasTyped = typed.trim() !== '';
  return rows
    .flatMap((row) => {
      const match = hasTyped ? checkMatch(typed, row) : { cost: 0, range: null, tag: null };
      return match === null || (!hasTyped && TROUBLE[row.status] === undefined) ? [] : [{ row, match }];
    })
    .toSorted(
      (a, b) =>
        a.match.cost - b.match.cost ||
        (TROUBLE[a.row.status] ?? 2) - (TROUBLE[b.row.status] ?? 2) ||
        nameOf(a.row).localeCompare(nameOf(b.row), undefined, { numeric: true }),
    )
    .slice(0, MAX_SHOWN.checks);
}

function checkMatch(typed: string, row: CheckRowJson): CheckMatch | null {
  const byName = matchText(typed, nameOf(row));
  const bySlug = matchText(typed, row.slug);
  const byTag = row.tags
    .map((tag) => ({ tag, cost: matchText(typed, tag)?.cost }))
    .find(({ cost }) => cost !== undefined && cost <= 2);
  if (byName !== null && byName.cost <= 2) return { ...byName, tag: null };
  if (byTag !== undefined) return { cost: 3, range: null, tag: byTag.tag };
  if (byName !== null) return { ...byName, tag: null };
  return bySlug && { cost: bySlug.cost + 1, range: null, tag: null };
}

export const nameOf = ({ name, slug, key }: CheckRowJson): string => name || slug || key.slice(0, 8);

const pageOf = (row: CheckRowJson, page: 'details' | 'log' | 'edit'): Destination => ({
  to: `/checks/$check/${page}/`,
  params: { check: row.uuid ?? row.key },
});

function checkEntry(row: CheckRowJson, { range, tag }: CheckMatch): Entry {
  return {
    id: `check ${row.key}`,
    label: nameOf(row),
    range,
    icon: shownStatus(row.running && row.status === 'up' ? 'running' : row.status, row.answer),
    ...(tag !== null && { detail: m.palette.tagged(tag) }),
    checkKey: row.key,
    choice: { kind: 'go', page: pageOf(row, 'details') },
  };
}

/** The check that actions are about: the one that fits best, else the one whose page is open. */
function aboutCheck(
  typed: string,
  found: readonly FoundCheck[],
  { rows, openCheck }: Sources,
): CheckRowJson | null {
  const open = rows.find(({ uuid, key }) => openCheck !== null && (uuid === openCheck || key === openCheck));
  const best = found[0];
  if (typed.trim() !== '' && best !== undefined && best.match.cost <= 1) return best.row;
  return open ?? null;
}

function actionGroup(row: CheckRowJson, { mayWrite, snoozes: spans }: Sources): Group {
  const id = row.key;
  const log: Entry = {
    id: `log ${id}`,
    label: m.palette.log,
    range: null,
    icon: 'events',
    choice: { kind: 'go', page: pageOf(row, 'log') },
  };
  if (!mayWrite) return { title: m.palette.doWith(nameOf(row)), entries: [log] };
  const verb = row.status === 'paused' ? 'resume' : 'pause';
  const { menu, snoozing } = m.checkActs;
  const answers = (
    [
      ['acknowledge', menu.acknowledge, isUnanswered(row)],
      ['take_back', menu.takeBack, row.answer?.kind === 'acknowledged'],
      ['end_snooze', menu.endSnooze, row.answer?.kind === 'snoozed'],
    ] as const
  ).flatMap(([kind, label, isPossible]): Entry[] =>
    isPossible
      ? [{ id: `${kind} ${id}`, label, range: null, icon: 'acknowledged', choice: { kind, row } }]
      : [],
  );
  const snoozes = (row.status === 'paused' ? [] : spans).map(
    (span): Entry => ({
      id: `snooze ${span} ${id}`,
      label: `${menu.snooze}: ${snoozing.spans[span]}`,
      range: null,
      icon: 'snoozed',
      choice: { kind: 'snooze', row, span },
    }),
  );
  const pause: Entry = {
    id: `${verb} ${id}`,
    label: m.checkActs.menu[verb],
    range: null,
    icon: 'paused',
    choice: { kind: verb, row },
  };
  return {
    title: m.palette.doWith(nameOf(row)),
    entries: [
      // Whoever comes because of an outage wants to answer it.
      ...(row.status === 'down' ? [...answers, ...snoozes, pause] : [pause, ...answers, ...snoozes]),
      {
        id: `edit ${id}`,
        label: m.palette.edit,
        range: null,
        icon: 'edit',
        choice: { kind: 'go', page: pageOf(row, 'edit') },
      },
      log,
      {
        id: `copy ${id}`,
        label: m.palette.copyUrl,
        range: null,
        icon: 'copy',
        choice: { kind: 'copy', row },
      },
    ],
  };
}

function matching(typed: string, entries: readonly Entry[], most: number): Entry[] {
  return entries
    .flatMap((entry) => {
      const match = matchText(typed, entry.label);
      return match === null ? [] : [{ entry: { ...entry, range: match.range }, cost: match.cost }];
    })
    .toSorted((a, b) => a.cost - b.cost)
    .slice(0, most)
    .map(({ entry }) => entry);
}

function pageGroup(typed: string, { project, isAdmin }: Sources): Group {
  const places: [icon: Place, label: string, page: Destination, keys?: string][] = [];
  if (project !== null) {
    const params = { project: project.uuid };
    places.push(
      ['checks', m.shell.checks, { to: '/projects/$project/checks/', params }, 'g c'],
      ['timeline', m.shell.timeline, { to: '/projects/$project/timeline/', params }, 'g t'],
      ['integrations', m.shell.integrations, { to: '/projects/$project/integrations/', params }, 'g i'],
      ['status_pages', m.shell.statusPages, { to: '/projects/$project/status-pages/', params }],
      ['badges', m.shell.badges, { to: '/projects/$project/badges/', params }],
      ['settings', m.shell.settings, { to: '/projects/$project/settings/', params }],
    );
  }
  places.push(
    ['projects', m.shell.allProjects, { to: '/' }, 'g p'],
    ['all_checks', m.shell.allChecks, { to: '/all-checks/' }],
    ['account', m.shell.account, { to: '/accounts/profile/' }],
  );
  if (isAdmin) places.push(['instance', m.shell.instance, { to: '/admin/' }]);
  const entries = places.map(([icon, label, page, keys]) => ({
    id: `page ${page.to}`,
    label,
    range: null,
    icon,
    ...(keys !== undefined && { keys }),
    choice: { kind: 'go', page } as const,
  }));
  return { title: m.palette.groups.pages, entries: matching(typed, entries, MAX_SHOWN.pages) };
}

/** The documentation is searched by the server. */
function docsGroup(typed: string): Group {
  const path = `search/?${new URLSearchParams({ q: typed })}`;
  return {
    title: m.docs.name,
    entries: [
      {
        id: 'docs',
        label: m.docs.search(typed),
        range: null,
        icon: 'page',
        choice: { kind: 'docs', path },
      },
    ],
  };
}

const goToList = (project: { readonly uuid: string } | null, search: ListSearch): Choice => ({
  kind: 'go',
  page: { to: '/projects/$project/checks/', params: { project: project?.uuid ?? '' }, search },
});

function viewGroup(typed: string, { views, project }: Sources): Group {
  const entries = views.map((view) => ({
    id: `view ${view.uuid}`,
    label: view.name,
    range: null,
    icon: 'view' as const,
    choice: goToList(project, searchOfView(view)),
  }));
  return { title: m.views.title, entries: matching(typed, entries, MAX_SHOWN.views) };
}

function tagGroup(typed: string, { rows, project }: Sources, isWhole: boolean): Group {
  const counts = new Map<string, number>();
  for (const { tags } of rows) for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  const entries = [...counts].map(([tag, count]) => ({
    id: `tag ${tag}`,
    label: tag,
    range: null,
    icon: 'tag' as const,
    detail: m.palette.checkCount(count),
    choice: goToList(project, { tag }),
  }));
  const most = isWhole ? 2 * MAX_SHOWN.tags : MAX_SHOWN.tags;
  return { title: m.palette.groups.tags, entries: matching(typed, entries, most) };
}

function projectGroup(typed: string, { projects, project }: Sources): Group {
  const entries = projects
    .filter(({ uuid }) => uuid !== project?.uuid)
    .map(({ uuid, name, status, checks }) => ({
      id: `project ${uuid}`,
      label: name,
      range: null,
      icon: status,
      detail: m.palette.checkCount(checks.total),
      choice: goToList({ uuid }, {}),
    }));
  return { title: m.palette.groups.projects, entries: matching(typed, entries, MAX_SHOWN.projects) };
}

function commandGroup(typed: string, { project, mayWrite }: Sources): Group {
  const entries: Entry[] = [];
  const add = (id: string, label: string, icon: Icon, choice: Choice, keys?: string) =>
    entries.push({ id, label, range: null, icon, choice, ...(keys !== undefined && { keys }) });
  if (project !== null && mayWrite)
    add('add', m.palette.addCheck, 'add', {
      kind: 'go',
      page: { to: '/projects/$project/checks/new/', params: { project: project.uuid } },
    });
  if (project !== null && mayWrite)
    add('import', m.shell.importCrontab, 'add', {
      kind: 'go',
      page: { to: '/projects/$project/checks/import/', params: { project: project.uuid } },
    });
  if (project !== null && mayWrite)
    add('quiet time', m.palette.newQuietTime, 'add', {
      kind: 'go',
      page: {
        to: '/projects/$project/settings/alerts/',
        params: { project: project.uuid },
        hash: NEW_QUIET_TIME,
      },
    });
  for (const theme of ['light', 'dark', 'system'] as const)
    add(`theme ${theme}`, m.palette.theme[theme], 'command', { kind: 'theme', theme });
  add('help', m.palette.help, 'command', { kind: 'help' }, '?');
  add('docs page', m.docs.name, 'page', { kind: 'docs', path: '' });
  add('sign out', m.palette.signOut, 'command', { kind: 'sign_out' });
  return { title: m.palette.groups.commands, entries: matching(typed, entries, MAX_SHOWN.commands) };
}
