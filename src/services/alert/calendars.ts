import { AppError } from '../../domain/errors.ts';
import { editPolicyRules, policyRules } from '../../domain/policy/rules.ts';
import { MAX_CALENDARS, type StoredCalendar } from '../../domain/policy/stored-calendar.ts';
import type { StoredPolicy } from '../../domain/policy/stored-policy.ts';
import type { Writes } from '../../storage/store.ts';
import { type Actor, requirePermission } from '../core/actor.ts';
import { recordInProject } from '../core/audit.ts';
import type { Deps } from '../core/deps.ts';
import { lockTeam } from '../project/team.ts';
import { channelsWithin, setCalendar } from './channel-hours.ts';
import { calledName } from './channel-names.ts';

/** A calendar as people give it. */
export type CalendarInput = Pick<
  StoredCalendar,
  'name' | 'schedule' | 'tz' | 'durationSeconds' | 'exceptDates'
>;

/** The calendars of the project, in order of creation. */
export async function listCalendars({ store }: Pick<Deps, 'store'>, actor: Actor): Promise<StoredCalendar[]> {
  requirePermission(actor, 'policies.view');
  return store.calendars.ofProject(actor.projectId);
}

/** What uses a calendar. */
export interface CalendarUses {
  /** Names of policies. */
  readonly policies: readonly string[];
  /** Integrations, as people call them. */
  readonly integrations: readonly string[];
}

/** The calendars of the project with what uses them. */
export async function listCalendarUses(
  { store, vault }: Pick<Deps, 'store' | 'vault'>,
  actor: Actor,
): Promise<(CalendarUses & Pick<StoredCalendar, 'uuid'>)[]> {
  const calendars = await listCalendars({ store }, actor);
  if (calendars.length === 0) return [];
  const policies = await store.policies.ofProject(actor.projectId);
  const channels = await store.channels.ofProject(actor.projectId);
  return calendars.map((calendar) => ({
    uuid: calendar.uuid,
    policies: policiesWithin(policies, calendar).map(({ name }) => name),
    integrations: channelsWithin(channels, calendar.name).map((channel) => calledName(channel, vault)),
  }));
}

export async function getCalendar(deps: Pick<Deps, 'store'>, actor: Actor, uuid: string) {
  return found(await listCalendars(deps, actor), uuid);
}

export async function createCalendar(
  deps: Deps,
  actor: Actor,
  input: CalendarInput,
): Promise<StoredCalendar> {
  requirePermission(actor, 'policies.edit');
  return deps.store.transaction(async (tx) => {
    await lockTeam(tx, actor, 'policies.edit');
    const known = await tx.calendars.ofProject(actor.projectId);
    requireFreeName(known, input.name);
    if (known.length >= MAX_CALENDARS) throw new AppError('calendar_limit_reached');
    const { projectId } = actor;
    const made = await tx.calendars.insert({
      ...{ uuid: deps.random.uuid(), projectId, createdAt: deps.clock.now() },
      ...input,
    });
    await record(deps, tx, actor, 'calendar.created', made);
    return made;
  });
}

/** Changes what is given. What is held for these hours is decided about anew. */
export async function editCalendar(
  deps: Deps,
  actor: Actor,
  uuid: string,
  edit: Partial<CalendarInput>,
): Promise<StoredCalendar> {
  requirePermission(actor, 'policies.edit');
  return deps.store.transaction(async (tx) => {
    await lockTeam(tx, actor, 'policies.edit');
    const known = await tx.calendars.ofProject(actor.projectId);
    const before = found(known, uuid);
    const after = { ...before, ...edit };
    if (after.name !== before.name) requireFreeName(known, after.name);
    if (spoken(after) === spoken(before)) return after;
    await tx.calendars.update(after);
    await tx.policies.wakeOutages(actor.projectId, deps.clock.now());
    if (after.name !== before.name)
      await setCalendar(
        tx,
        channelsWithin(await tx.channels.ofProject(actor.projectId), before.name),
        after.name,
      );
    await record(deps, tx, actor, 'calendar.edited', after);
    return after;
  });
}

/** Deletes the calendar. One in use is refused, unless it is forced: then what used it has no hours. */
export async function deleteCalendar(
  deps: Deps,
  actor: Actor,
  uuid: string,
  isForced: boolean,
): Promise<StoredCalendar> {
  requirePermission(actor, 'policies.edit');
  return deps.store.transaction(async (tx) => {
    await lockTeam(tx, actor, 'policies.edit');
    const calendar = found(await tx.calendars.ofProject(actor.projectId), uuid);
    const policies = policiesWithin(await tx.policies.ofProject(actor.projectId), calendar);
    const channels = channelsWithin(await tx.channels.ofProject(actor.projectId), calendar.name);
    const users = [
      ...policies.map(({ name }) => `policy ${name}`),
      ...channels.map((channel) => `integration ${calledName(channel, deps.vault)}`),
    ];
    if (users.length > 0 && !isForced)
      throw new AppError('calendar_in_use', `calendar is in use: ${users.join(', ')}`);
    for (const policy of policies)
      await tx.policies.update({ ...policy, rules: editPolicyRules(policy.rules, { hours: null }) });
    await tx.calendars.delete(actor.projectId, calendar.id);
    if (users.length > 0) await tx.policies.wakeOutages(actor.projectId, deps.clock.now());
    await setCalendar(tx, channels, '');
    await record(deps, tx, actor, 'calendar.deleted', calendar);
    return calendar;
  });
}

/** The policies that tell in these hours. */
function policiesWithin(
  policies: readonly StoredPolicy[],
  { uuid }: Pick<StoredCalendar, 'uuid'>,
): StoredPolicy[] {
  return policies.filter(({ rules }) => policyRules(rules).hours === uuid);
}

function found(calendars: readonly StoredCalendar[], uuid: string): StoredCalendar {
  const calendar = calendars.find((one) => one.uuid === uuid);
  if (calendar === undefined) throw new AppError('calendar_not_found');
  return calendar;
}

function requireFreeName(known: readonly StoredCalendar[], name: string): void {
  if (known.some((one) => one.name === name))
    throw new AppError('calendar_name_taken', undefined, { field: 'name' });
}

function spoken({ name, schedule, tz, durationSeconds, exceptDates }: CalendarInput): string {
  const times = `${schedule} ${tz}, ${durationSeconds} s`;
  return JSON.stringify([name, times, exceptDates]);
}

async function record(
  deps: Pick<Deps, 'clock'>,
  tx: Writes,
  actor: Actor,
  action: string,
  calendar: StoredCalendar,
): Promise<void> {
  const { uuid, name, schedule, tz, durationSeconds, exceptDates } = calendar;
  await recordInProject(deps, tx, actor, {
    action,
    subject: { kind: 'calendar', id: uuid, name },
    details: {
      ...{ schedule, tz, duration: durationSeconds },
      ...(exceptDates !== '' && { except: exceptDates }),
    },
  });
}
