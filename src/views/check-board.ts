/** Views for lists of checks and the timeline. Checks are named by their unique keys. */
import { AppError } from '../domain/errors.ts';
import { DOWN_TROUBLES } from '../domain/history/standing.ts';
import type { Window } from '../domain/history/timeline.ts';
import { Fault, type Field, integer } from '../lib/fields.ts';
import { type Instant, seconds, toIsoSeconds } from '../lib/instant.ts';
import { MAX_LANES } from '../services/history/timeline.ts';
import type { AccountActor } from '../services/people/account-actor.ts';
import { enterProjects } from '../services/people/own-projects.ts';
import { readProfile } from '../services/people/profile.ts';
import { type InputValues, optional } from '../wire/dashboard/input.ts';
import { MAX_ASKED_ROWS, MAX_DETAILED } from '../wire/dashboard/limits.ts';
import type { BoardHeadJson, CheckDetailsJson, CheckRowJson } from './board-json.ts';
import { MAX_TIMELINE_SECONDS, MIN_TIMELINE_SECONDS } from './limits.ts';
import { personView, projectView, type ViewDeps } from './view.ts';

const KEY = /^[0-9a-f]{40}$/;

const keysField = (most: number): Field<string[]> => ({
  read(value, name) {
    if (!Array.isArray(value)) return new Fault(`${name} is not a list`);
    if (value.length > most) return new Fault(`${name} names more than ${most}`);
    if (!value.every((key) => typeof key === 'string' && KEY.test(key)))
      return new Fault(`${name} are not unique keys`);
    return value;
  },
  schema: {},
});

/** All rows, or the requested ones. */
const ROWS = { keys: optional(keysField(MAX_ASKED_ROWS)) };
const DETAILED = { keys: keysField(MAX_DETAILED) };

export const checkRows = projectView({
  permission: 'checks.view',
  input: ROWS,
  read: (deps, { actor, input: { keys = null } }) => deps.checkBoards.rows(actor, keys, deps.clock),
});

/** Rows that somebody looks at, told in full. */
export const checkDetails = projectView({
  permission: 'pings.view',
  input: DETAILED,
  read: (deps, { actor, input: { keys } }) => deps.checkBoards.details(actor, keys, deps.clock),
});

/** The head of a project's list. */
export const checkHead = projectView({
  permission: 'checks.view',
  async *read(deps, { actor, person }) {
    const head = yield* deps.checkBoards.head(actor, deps.clock);
    return { ...head, reminder: await reminderOf(deps, person, head) };
  },
});

/** The rows of all projects of the person. Each row names its project. */
export const allCheckRows = personView({
  permission: 'projects.view',
  input: ROWS,
  async *read(deps, { person, input: { keys = null } }) {
    const all: (CheckRowJson & { readonly project: string })[] = [];
    for (const { project, actor } of await enterProjects(deps, person)) {
      const rows = yield* deps.checkBoards.rows(actor, keys, deps.clock);
      for (const row of rows) all.push({ ...row, project });
      yield;
    }
    return all;
  },
});

export const allCheckDetails = personView({
  permission: 'projects.view',
  input: DETAILED,
  async *read(deps, { person, input: { keys } }) {
    const all: CheckDetailsJson[] = [];
    for (const { actor } of await enterProjects(deps, person)) {
      all.push(...(yield* deps.checkBoards.details(actor, keys, deps.clock)));
      yield;
    }
    return all;
  },
});

export const allCheckHead = personView({
  permission: 'projects.view',
  async *read(deps, { person }) {
    const actors = (await enterProjects(deps, person)).map(({ actor }) => actor);
    const head = yield* deps.checkBoards.headOver(actors, deps.clock);
    return { ...head, reminder: await reminderOf(deps, person, head) };
  },
});

/** When the person is reminded of checks that are down. Null if they are not. */
async function reminderOf(deps: ViewDeps, person: AccountActor, { counts }: BoardHeadJson) {
  if (DOWN_TROUBLES.every((trouble) => counts[trouble] === 0)) return null;
  return toIsoSeconds((await readProfile(deps, person)).preferences.nextReminderAt);
}

const time = integer({ minimum: 0, maximum: 10_000_000_000 });
/** In UNIX time. */
const WINDOW = { from: time, until: time };

/** Past and expected runs on one axis. */
export const timelineLanes = projectView({
  permission: 'pings.view',
  input: { keys: keysField(MAX_LANES), ...WINDOW },
  async *read(deps, { actor, input: { keys, ...window } }) {
    return yield* deps.checkBoards.lanes(actor, keys, windowOf(window, deps.clock.now()), deps.clock);
  },
});

export const timelineHead = projectView({
  permission: 'checks.view',
  input: WINDOW,
  async *read(deps, { actor, input }) {
    return yield* deps.checkBoards.timelineHead(actor, windowOf(input, deps.clock.now()), deps.clock);
  },
});

function windowOf({ from, until }: InputValues<typeof WINDOW>, now: Instant): Window {
  const length = until - from;
  if (length < MIN_TIMELINE_SECONDS || length > MAX_TIMELINE_SECONDS)
    throw refused('from and until are 6 hours to 7 days apart');
  const window = { from: seconds(from), until: seconds(until) };
  if (window.until > now + seconds(MAX_TIMELINE_SECONDS)) throw refused('until is more than 7 days ahead');
  return window;
}

function refused(reason: string): AppError {
  return new AppError('invalid_field', reason, { field: 'from' });
}
