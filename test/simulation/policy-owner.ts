import type { Channel } from '../../src/domain/alert/channel.ts';
import type { Check } from '../../src/domain/check/check.ts';
import type { CheckEdit } from '../../src/domain/check/check-edit.ts';
import type { QuietTimeInput } from '../../src/domain/check/quiet-time.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { PolicyRulesEdit } from '../../src/domain/policy/rules.ts';
import type { Chance } from '../../src/lib/chance.ts';
import { type Instant, type Micros, seconds, toIsoMicros, toTemporal } from '../../src/lib/instant.ts';
import {
  acknowledgeCheck,
  snoozeCheck,
  unacknowledgeCheck,
  unsnoozeCheck,
} from '../../src/services/alert/answers.ts';
import {
  type CalendarInput,
  createCalendar,
  deleteCalendar,
  editCalendar,
  listCalendars,
} from '../../src/services/alert/calendars.ts';
import { editChannel } from '../../src/services/alert/channels.ts';
import {
  createPolicy,
  deletePolicy,
  editPolicy,
  listPolicies,
  setAlerting,
} from '../../src/services/alert/policies.ts';
import type { UpdateCheck } from '../../src/services/check/checks.ts';
import {
  announceQuietTime,
  deleteQuietTime,
  editQuietTime,
  listQuietTimes,
  stopQuietTime,
} from '../../src/services/check/quiet-times.ts';
import { type Actor, systemActor } from '../../src/services/core/actor.ts';
import type { CheckVersions, Version } from './check-versions.ts';
import type { Installation } from './installation.ts';
import { hasSurelyBegun, isInside, lastEnd, quietSpans } from './naive-quiet.ts';
import type { SimulatedNode } from './node.ts';
import type { Alerting, Observed, OutageRow } from './observed.ts';
import { anyMembers } from './population.ts';
import type { Switches } from './switches.ts';
import type { Timeline } from './timeline.ts';
import type { Trace } from './trace.ts';
import { type Seen, Versions } from './versions.ts';
import { Violation } from './violation.ts';

export type AlertingVersion = Alerting & Seen;

const TAGS = ['db', 'web'];
const PRESETS = ['patient', 'keep-reminding', 'at-once'];
const PRESETS_WITH_THRESHOLDS = ['twice', 'twice', 'keep-reminding'];

/** What is changed about quiet times covers their checks after this time at the latest. */
const QUIET_SETTLES = seconds(60);
/** Spans that follow each other are looked at for so long. */
const QUIET_CHAIN = seconds(3 * 86_400);
/** Between the times of a request and of what it has done. */
const QUIET_SLACK = seconds(3);

const ACTS = [
  'alerting',
  'alerting',
  'create',
  'edit',
  'edit',
  'delete',
  'tag',
  'tag',
  'own',
  'own',
] as const;
const ANSWERS = ['acknowledge', 'acknowledge', 'unacknowledge', 'snooze', 'unsnooze'] as const;

/** Says how outages are told, answers to them, and remembers what counted when. */
export class PolicyOwner {
  readonly #timeline: Timeline;
  readonly #installation: Installation;
  readonly #observed: Observed;
  readonly #trace: Trace;
  readonly #chance: Chance;
  readonly #actor: Actor;
  readonly #channels: readonly Channel[];
  readonly #checks: CheckVersions;
  /** Decides about hours, parents, and what is told as one. Null: there is nothing of the kind. */
  readonly #settings: Chance | null;
  /** Decides about quiet times. Null: there are none. */
  readonly #quiet: Chance | null;
  /** Decides about those that begin just in time for a check. Null: there are none. */
  readonly #justInTime: Chance | null;
  /** Decides about hours of integrations. Null: they have none. */
  readonly #hours: Chance | null;
  /** Decides who is in which group. Null: there are no groups. */
  readonly #groups: Chance | null;
  /** Decides after how many good runs a recovery is told. Null: after the first. */
  readonly #goodRuns: Chance | null;
  /** Decides how many bad runs an outage takes before it is told: several. Null: mostly one. */
  readonly #thresholds: Chance | null;
  readonly #presets: readonly string[];
  readonly #switches: Switches;
  readonly #alerting = new Versions<AlertingVersion>();
  #made = 0;

  constructor(parts: {
    timeline: Timeline;
    installation: Installation;
    observed: Observed;
    trace: Trace;
    chance: Chance;
    projectId: number;
    channels: readonly Channel[];
    checks: CheckVersions;
    hasSettings: boolean;
    hasQuietTimes: boolean;
    justInTime: Chance | null;
    hasChannelHours: boolean;
    hasGroups: boolean;
    hasGoodRuns: boolean;
    hasThresholds: boolean;
    switches: Switches;
  }) {
    this.#timeline = parts.timeline;
    this.#installation = parts.installation;
    this.#observed = parts.observed;
    this.#trace = parts.trace;
    this.#chance = parts.chance;
    this.#actor = systemActor(parts.projectId);
    this.#channels = parts.channels;
    this.#checks = parts.checks;
    this.#settings = parts.hasSettings ? parts.chance.fork('settings') : null;
    this.#quiet = parts.hasQuietTimes ? parts.chance.fork('quiet times') : null;
    this.#justInTime = parts.justInTime;
    this.#hours = parts.hasChannelHours ? parts.chance.fork('hours of integrations') : null;
    this.#goodRuns = parts.hasGoodRuns ? parts.chance.fork('good runs') : null;
    this.#thresholds = parts.hasThresholds ? parts.chance.fork('thresholds') : null;
    this.#presets = parts.hasThresholds ? PRESETS_WITH_THRESHOLDS : PRESETS;
    this.#groups = parts.hasGroups ? parts.chance.fork('groups') : null;
    this.#switches = parts.switches;
    this.#alerting.all.push({
      since: Number.NEGATIVE_INFINITY,
      seenAt: Number.NEGATIVE_INFINITY,
      isUsed: false,
      rules: [],
      named: [],
      calendars: [],
      quietTimes: [],
      tagsAsOne: [],
      channelHours: [],
      groups: [],
    });
  }

  alertingIn(from: Instant, until: Instant): AlertingVersion[] {
    return this.#alerting.in(from, until);
  }

  get hasQuietTimes(): boolean {
    return this.#quiet !== null;
  }

  /**
   * Until when the check is quiet at that time by each arrangement that may have counted, at the least and at the most. Null: there is
   * none by it. What has just been changed may count or not.
   */
  #endsOfQuiet(
    uuid: string,
    at: Instant,
    slack: Micros,
  ): { readonly least: Instant | null; readonly most: Instant | null }[] {
    const [from, until] = [at - QUIET_SETTLES, at + QUIET_SLACK];
    const checks = this.#checks.in(uuid, from, until).map(({ check }) => check);
    return this.alertingIn(from, until).flatMap(({ quietTimes }) =>
      checks.map((check) => {
        const spans = quietSpans(quietTimes, check, { from: at - QUIET_CHAIN, until: at + QUIET_CHAIN });
        const ends = spans
          .filter((span) => hasSurelyBegun(span, spans, at - slack) && isInside(span, at + slack))
          .map((span) => span.until);
        return { least: ends.length > 0 ? Math.max(...ends) : null, most: lastEnd(spans, at) };
      }),
    );
  }

  /** Whether somebody has begun to change quiet times, or what they cover, before that time, and is not done. */
  #isChanging(uuid: string, at: Instant): boolean {
    const [alerting, check] = [this.#alerting.changingSince, this.#checks.of(uuid).changingSince];
    return [alerting, check].some((since) => since !== null && since < at + QUIET_SLACK);
  }

  /** Whether somebody has stopped one that recurs by a clock that was ahead. When that is set right, it may come sooner. */
  #wasAhead(at: Instant): boolean {
    return this.alertingIn(at - QUIET_SETTLES, at).some(({ quietTimes }) =>
      quietTimes.some(({ fromAt, untilAt }) => untilAt === null && fromAt > at + QUIET_SLACK),
    );
  }

  /** Whether a quiet time surely covers the check at that time. */
  isSurelyQuiet(uuid: string, at: Instant): boolean {
    const ends = this.#endsOfQuiet(uuid, at, 0);
    return ends.length > 0 && !this.#isChanging(uuid, at) && ends.every(({ least }) => least !== null);
  }

  /** What is wrong about the quiet time in the row of the check. Null: nothing, as far as can be told. */
  faultOfQuiet({ uuid, quietFromAt, quietUntilAt }: Check, now: Instant): string | null {
    const ends = this.#endsOfQuiet(uuid, now, QUIET_SLACK);
    if (ends.length === 0 || this.#isChanging(uuid, now) || this.#wasAhead(now)) return null;
    const until = quietUntilAt ?? 0;
    const most = Math.max(...ends.map((end) => end.most ?? 0));
    if (until > Math.max(most, now + QUIET_SETTLES))
      return `it is quiet until ${toIsoMicros(until)}, ${most === 0 ? 'and there is no quiet time' : `and not until ${toIsoMicros(most)}`}`;
    const least = Math.min(...ends.map((end) => end.least ?? 0));
    if (least > 0 && (until < least || (quietFromAt ?? now) > now + QUIET_SLACK))
      return `a quiet time runs until ${toIsoMicros(least)}, and it is quiet until ${toIsoMicros(quietUntilAt)}`;
    return null;
  }

  /** Whether a plan has possibly been asked about flips of that time. */
  mayBeUsed(from: Instant, until: Instant): boolean {
    return (
      this.#alerting.changingSince !== null || this.#alerting.in(from, until).some(({ isUsed }) => isUsed)
    );
  }

  /** The first policies, and the first tags. */
  async begin(): Promise<void> {
    if (this.#chance.happens(0.5)) {
      await this.#onProject('create');
      await this.#onProject('create');
      await this.#onProject('alerting');
    }
    for (const uuid of this.#checks.uuids) if (this.#chance.happens(0.7)) await this.#tag(uuid);
    if (this.#settings === null) return;
    await this.#changeHours(this.#settings, 'create');
    await this.#changeHours(this.#settings, 'create');
    for (let link = 0; link < 3; link++) await this.#link(this.#settings);
    // With hours and thresholds, which the first policies have not.
    await this.#onProject('create');
    await this.#onProject('create');
    await this.#onProject('alerting');
    for (const _ of this.#channels) await this.actOnHoursOfChannels();
  }

  /** Changes hours, or on which others a check depends. */
  async actOnSettings(): Promise<void> {
    const settings = this.#settings;
    if (settings === null || this.#checks.uuids.length === 0) return;
    const act = settings.pick(['create', 'edit', 'delete', 'link', 'link', 'link'] as const);
    await (act === 'link' ? this.#link(settings) : this.#changeHours(settings, act));
  }

  /** Gives an integration hours, or takes them from it. */
  async actOnHoursOfChannels(): Promise<void> {
    const chance = this.#hours;
    if (chance === null) return;
    const names = this.#alerting.latest?.calendars.map(({ name }) => name) ?? [];
    const hours = names.length === 0 || chance.happens(0.3) ? '' : chance.pick(names);
    const outside = chance.pick(['hold', 'hold', 'drop']);
    await this.#editChannel(chance.pick(this.#channels), { hours, outside_hours: outside });
  }

  /** Gives a group other members. */
  async actOnGroups(): Promise<void> {
    const chance = this.#groups;
    if (chance === null) return;
    const group = chance.pick(this.#channels.filter(({ kind }) => kind === 'group'));
    await this.#editChannel(group, { channels: anyMembers(chance, this.#channels) });
  }

  /** That switches it on. */
  async #editChannel({ id, uuid, name }: Channel, settings: Record<string, unknown>): Promise<void> {
    const [node] = this.#installation.serving;
    if (node === undefined || !this.#switches.begin(id)) return;
    const since = this.#timeline.now;
    const answer = await this.#changing(() =>
      untilAnswered(node, () => editChannel(node.deps, this.#actor, uuid, { settings })),
    );
    this.#switches.noteEdit(id, since, this.#timeline.now, typeof answer !== 'string');
    this.#trace.tell(this.#timeline.now, `${name} has ${JSON.stringify(settings)}: ${said(answer)}`);
  }

  /** Announces a quiet time, or ends one. */
  async actOnQuietTimes(): Promise<void> {
    const quiet = this.#quiet;
    const [node] = this.#installation.serving;
    if (quiet === null || node === undefined || this.#checks.uuids.length === 0) return;
    const { deps } = node;
    const actor = this.#actor;
    const known = await untilAnswered(node, () => listQuietTimes(deps, actor));
    if (typeof known === 'string') return;
    const one = known.length === 0 ? null : quiet.pick(known);
    const input = anyQuietTime(quiet, this.#timeline.now, this.#checks.uuids, this.#made++);
    const act = quiet.pick(['announce', 'announce', 'announce', 'edit', 'stop', 'delete'] as const);
    const works = {
      announce: () => announceQuietTime(deps, actor, input),
      edit: () => (one === null ? null : editQuietTime(deps, actor, one.uuid, input)),
      stop: () => (one === null ? null : stopQuietTime(deps, actor, one.uuid)),
      delete: () => (one === null ? null : deleteQuietTime(deps, actor, one.uuid)),
    };
    const answer = await this.#changing(() => untilAnswered<unknown>(node, async () => works[act]()));
    const now = JSON.stringify(this.#alerting.latest?.quietTimes);
    this.#trace.tell(this.#timeline.now, `${act} quiet time: ${said(answer)}: ${now}`);
  }

  /** Announces a quiet time that begins when the next check is about to go down, or when another one has just ended. */
  async quietenJustInTime(): Promise<void> {
    const chance = this.#justInTime;
    if (chance === null) return;
    const { now } = this.#timeline;
    const soon = now + seconds(100);
    const checks = await this.#observed.checks();
    const quiet = checks.filter(({ quietUntilAt }) => (quietUntilAt ?? 0) > soon);
    if (quiet.length > 0 && chance.happens(0.3)) {
      const { uuid, quietUntilAt } = chance.pick(quiet);
      const fromAt = (quietUntilAt ?? 0) + chance.pick([0, 1_000_000, 30_000_000, 55_000_000]);
      return this.#announce(uuid, fromAt, chance.pick([120, 900]));
    }
    const next = checks
      .filter(({ deadlineAt }) => (deadlineAt ?? 0) > soon)
      .toSorted((one, other) => (one.deadlineAt ?? 0) - (other.deadlineAt ?? 0))[0];
    const deadline = next?.deadlineAt ?? null;
    if (next === undefined || deadline === null) return;
    const fromAt = deadline - chance.pick([0, 0, 1_000, 300_000, 2_000_000]);
    const isAhead = chance.happens(0.7);
    // What begins now covers its checks in the request.
    if (!isAhead) await this.#timeline.sleep(fromAt - now - chance.between(1_000, 1_000_000));
    await this.#announce(next.uuid, isAhead ? fromAt : null, chance.pick([120, 900]));
  }

  async #announce(uuid: string, fromAt: Instant | null, durationSeconds: number): Promise<void> {
    const [node] = this.#installation.serving;
    if (node === undefined) return;
    const input = {
      ...{ name: `quiet ${this.#made++}`, reason: '', checks: [uuid], tags: '', schedule: '', tz: 'UTC' },
      ...{ fromAt, untilAt: null, durationSeconds },
    };
    const answer = await this.#changing(() =>
      untilAnswered<unknown>(node, () => announceQuietTime(node.deps, this.#actor, input)),
    );
    const now = JSON.stringify(this.#alerting.latest?.quietTimes);
    this.#trace.tell(this.#timeline.now, `quiet time just in time: ${said(answer)}: ${now}`, uuid);
  }

  /** A circle is refused. */
  async #link(settings: Chance): Promise<void> {
    const { uuids } = this.#checks;
    const uuid = settings.pick(uuids);
    const others = uuids.filter((other) => other !== uuid);
    const parents = settings.happens(0.3) ? [] : settings.some(others, 1.5 / uuids.length);
    await this.#edit(uuid, { parents: parents.join(',') });
  }

  async #changeHours(settings: Chance, act: 'create' | 'edit' | 'delete'): Promise<void> {
    const [node] = this.#installation.serving;
    if (node === undefined) return;
    const { deps } = node;
    const actor = this.#actor;
    const known = await untilAnswered(node, () => listCalendars(deps, actor));
    if (typeof known === 'string') return;
    const one = known.length === 0 ? null : settings.pick(known);
    const hours = anyHours(settings, this.#timeline.now);
    const works = {
      create: () => createCalendar(deps, actor, { name: `hours ${this.#made++}`, ...hours }),
      edit: () => (one === null ? null : editCalendar(deps, actor, one.uuid, hours)),
      delete: () => (one === null ? null : deleteCalendar(deps, actor, one.uuid, settings.happens(0.5))),
    };
    const answer = await this.#changing(() => untilAnswered(node, async () => works[act]()));
    this.#trace.tell(this.#timeline.now, `${act} hours: ${said(answer)}: ${JSON.stringify(hours)}`);
  }

  async act(): Promise<void> {
    const act = this.#chance.pick(ACTS);
    const uuid = this.#chance.pick(this.#checks.uuids);
    const names = this.#alerting.latest?.named.map(({ name }) => name) ?? [];
    if (act === 'tag') return this.#tag(uuid);
    if (act === 'own')
      return this.#edit(uuid, { policy: this.#chance.pick(['', ...this.#presets, ...names]) });
    // The policy may be that of checks, too.
    const uuids = act === 'delete' ? this.#checks.uuids : [];
    const changes = uuids.map((one) => ({ one, change: this.#checks.begin(one) }));
    await this.#onProject(act);
    for (const { one, change } of changes)
      await this.#checks.end(change, this.#checks.latestOf(one)?.check.id ?? 0, one);
  }

  /** Somebody answers to an outage, or snoozes a check that is up. */
  async answer(): Promise<void> {
    const act = this.#chance.pick(ANSWERS);
    const down = await this.#observed.down();
    const among = down.length > 0 && this.#chance.happens(0.8) ? down : this.#checks.uuids;
    const uuid = this.#chance.pick(among);
    const check = this.#checks.latestOf(uuid)?.check;
    if (check === undefined) return;
    const { id } = check;
    if (this.#chance.happens(0.5)) await this.#waitForDecision(id);
    const [node] = this.#installation.serving;
    if (node === undefined) return;
    const { deps } = node;
    const span = { for: seconds(this.#chance.pick([600, 3600, 4 * 3600, 30 * 3600])) };
    const work = {
      acknowledge: () => acknowledgeCheck(deps, this.#actor, id),
      unacknowledge: () => unacknowledgeCheck(deps, this.#actor, id),
      snooze: () => snoozeCheck(deps, this.#actor, id, span),
      unsnooze: () => unsnoozeCheck(deps, this.#actor, id),
    };
    await this.asAnswer<unknown>(node, check, act, work[act]);
  }

  /** Until the instant in which it is decided about the outage anew, more or less. */
  async #waitForDecision(checkId: number): Promise<void> {
    const wakeAt = (await this.#observed.openOutageOf(checkId))?.wakeAt ?? 0;
    const wait = wakeAt - this.#timeline.now + this.#chance.between(-2_000, 6_000);
    if (wait > 0) await this.#timeline.sleep(wait);
  }

  /** An answer may be the first thing of the kind that the project uses. What was answered is so, and nothing else. */
  async asAnswer<T>(
    node: SimulatedNode,
    { id, uuid }: { readonly id: number; readonly uuid: string },
    act: string,
    work: () => Promise<T>,
  ): Promise<Answered<T>> {
    const change = this.#checks.begin(uuid);
    const before = await this.#observed.openOutageOf(id);
    const answer = await this.#changing(() => untilAnswered(node, work));
    const after = await this.#observed.openOutageOf(id);
    const version = await this.#checks.end(change, id, uuid);
    const { isAlone } = change;
    this.#trace.tell(this.#timeline.now, `${act}: ${said(answer)}`, uuid);
    if (typeof answer !== 'string' && after !== null && this.#alerting.latest?.isUsed !== true)
      throw new Violation('somebody has answered, and nobody plans who is told', uuid);
    if (version !== null && isAlone && before?.flipId === after?.flipId)
      judgeAnswer(act, answer, after, version, change.since);
    return { answer, isAlone, before, after };
  }

  /** One answer for several checks. `isAlone`: nobody else has changed one of them meanwhile. */
  async asAnswerForMany<T>(
    node: SimulatedNode,
    checks: readonly { readonly id: number; readonly uuid: string }[],
    act: string,
    work: () => Promise<T>,
  ): Promise<{ readonly answer: T | string; readonly isAlone: boolean }> {
    const changes = checks.map((check) => ({ ...check, change: this.#checks.begin(check.uuid) }));
    const answer = await this.#changing(() => untilAnswered(node, work));
    for (const { id, uuid, change } of changes) {
      await this.#checks.end(change, id, uuid);
      this.#trace.tell(this.#timeline.now, `${act}: ${said(answer)}`, uuid);
    }
    return { answer, isAlone: changes.every(({ change }) => change.isAlone) };
  }

  async #tag(uuid: string): Promise<void> {
    await this.#edit(uuid, { tags: this.#chance.some(TAGS, 0.6).join(' ') });
  }

  #edit(uuid: string, edit: CheckEdit): Promise<void> {
    return this.edit(uuid, { edit });
  }

  /** The first check that has a policy of its own may be the first use of any. */
  async edit(uuid: string, input: UpdateCheck): Promise<void> {
    const check = this.#checks.latestOf(uuid)?.check;
    const [node] = this.#installation.serving;
    if (check === undefined || node === undefined) return;
    const { id } = check;
    const change = this.#checks.begin(uuid);
    const command = { verb: 'update', actor: this.#actor, id, input } as const;
    const answer = await this.#changing(() => untilAnswered(node, () => node.checkWriter.perform(command)));
    await this.#checks.end(change, id, uuid);
    this.#trace.tell(this.#timeline.now, `${JSON.stringify(input)}: ${said(answer)}`, uuid);
  }

  async #onProject(act: Exclude<(typeof ACTS)[number], 'tag' | 'own'>): Promise<void> {
    const [node] = this.#installation.serving;
    if (node === undefined) return;
    const chance = this.#chance;
    const actor = this.#actor;
    const { deps } = node;
    const known = await untilAnswered(node, () => listPolicies(deps, actor));
    if (typeof known === 'string') return;
    const own = known.length === 0 ? null : chance.pick(known);
    const rules = this.#anyRules();
    const name = () => chance.pick([...this.#presets, ...known.map((one) => one.name)]);
    const policy = name();
    const tags = chance
      .some(TAGS, 0.6)
      .map((tag) => ({ tag, policy: name(), asOne: this.#settings?.happens(0.5) ?? false }));
    const works = {
      alerting: () => setAlerting(deps, actor, { policy, tags }),
      create: () => createPolicy(deps, actor, `own ${this.#made++}`, rules),
      edit: () => (own === null ? null : editPolicy(deps, actor, own.uuid, { rules })),
      delete: () => (own === null ? null : deletePolicy(deps, actor, own.uuid, chance.happens(0.5))),
    };
    const answer = await this.#changing(() => untilAnswered(node, async () => works[act]()));
    const now = this.#alerting.latest?.rules.map(({ tag, rules }) => `${tag ?? 'all'} ${rules}`).join(', ');
    this.#trace.tell(this.#timeline.now, `${act} policy: ${said(answer)}: ${now}`);
  }

  async #changing<T>(work: () => Promise<T>): Promise<T> {
    const change = this.#alerting.begin(this.#timeline.now);
    const answer = await work();
    const seen = await this.#observed.alerting(this.#actor.projectId);
    this.#alerting.end(change, { since: change.since, seenAt: this.#timeline.now, ...seen });
    return answer;
  }

  #anyThreshold(): PolicyRulesEdit {
    const settings = this.#settings;
    if (settings === null) return {};
    return {
      bad_runs: this.#thresholds?.pick([2, 2, 3]) ?? settings.pick([1, 1, 2, 3]),
      counts: settings.pick(['all', 'all', 'failed']),
      each_failure: settings.happens(0.3),
    };
  }

  #anyHoursOfPolicy(): PolicyRulesEdit {
    const settings = this.#settings;
    const known = this.#alerting.latest?.calendars ?? [];
    if (settings === null || known.length === 0 || settings.happens(0.4)) return {};
    return { hours: settings.pick(known).name, always_tags: settings.some(TAGS, 0.3).join(' ') };
  }

  #anyRules(): PolicyRulesEdit {
    const chance = this.#chance;
    const names = this.#channels.map(({ name }) => name);
    const steps = chance.some([0, 60, 300, 900, 900, 3600], 0.4).map((after) => ({
      after,
      tell: [...new Set([chance.pick(names), chance.pick(names)])],
    }));
    return {
      wait: chance.pick([0, 0, 60, 300, 900]),
      again: chance.pick([0, 900, 900, 3600]),
      again_most: chance.pick([1, 1, 2, 24]),
      // biome-ignore lint/suspicious/noThenProperty: it is the name in requests, and its value is no function.
      then: chance.happens(0.7) ? steps : [],
      ...this.#anyThreshold(),
      ...this.#anyHoursOfPolicy(),
      ...(this.#goodRuns !== null && { good_runs: this.#goodRuns.pick([1, 2, 2, 3]) }),
    };
  }
}

function anyQuietTime(quiet: Chance, now: Instant, uuids: readonly string[], number: number): QuietTimeInput {
  const isRecurring = quiet.happens(0.2);
  const covers = quiet.pick(['checks', 'tags', 'all'] as const);
  return {
    name: `quiet ${number}`,
    reason: '',
    checks: covers === 'checks' ? [quiet.pick(uuids), quiet.pick(uuids)] : [],
    tags: covers === 'tags' ? quiet.pick(TAGS) : '',
    fromAt: isRecurring || quiet.happens(0.5) ? null : now + seconds(quiet.pick([30, 90, 1800, 7200])),
    untilAt: null,
    durationSeconds: quiet.pick([120, 900, 3600, 4 * 3600]),
    schedule: isRecurring ? quiet.pick(['0 8 * * *', '30 13 * * 1-5', '0 22 * * *']) : '',
    tz: quiet.pick(['UTC', 'Europe/Riga', 'America/New_York']),
  };
}

/** Of the form that the model reads. */
function anyHours(settings: Chance, now: Instant): Omit<CalendarInput, 'name'> {
  const today = toTemporal(now).toZonedDateTimeISO('UTC').toPlainDate();
  const exceptDates = settings
    .some([-1, 0, 1, 2], 0.2)
    .map((days) => today.add({ days }).toString())
    .join(' ');
  return {
    schedule: settings.pick(['0 8 * * 1-5', '0 8 * * *', '30 13 * * *', '0 22 * * *']),
    tz: settings.pick(['UTC', 'Europe/Riga', 'America/New_York']),
    durationSeconds: settings.pick([2, 8, 10, 30]) * 3600,
    exceptDates,
  };
}

/** What was done, with the open outage before and after it. */
export interface Answered<T> {
  readonly answer: T | string;
  /** Whether nobody else has changed the check meanwhile. */
  readonly isAlone: boolean;
  readonly before: OutageRow | null;
  readonly after: OutageRow | null;
}

function judgeAnswer(
  act: string,
  answer: unknown,
  open: OutageRow | null,
  { check }: Version,
  since: Instant,
): void {
  const isDone = typeof answer !== 'string';
  const isTaken = open !== null && open.acknowledgedAt !== null;
  const fault = {
    acknowledge: isDone
      ? !isTaken && open !== null && 'an acknowledgement that was answered is lost'
      : answer.startsWith('check_not_down') &&
        open?.recoveringAt === null &&
        'it is down, and cannot be acknowledged',
    unacknowledge: isDone && isTaken && 'what was taken back is still acknowledged',
    snooze: isDone && (check.snoozedUntilAt ?? 0) <= since && 'a snooze that was answered is lost',
    unsnooze: isDone && check.snoozedUntilAt !== null && 'it is still snoozed',
  }[act];
  if (typeof fault === 'string') throw new Violation(fault, check.uuid);
}

/** The answer, or why there is none. A node that dies never answers. */
async function untilAnswered<T>(node: SimulatedNode, work: () => Promise<T>): Promise<T | string> {
  try {
    return await node.life.untilDeath(work());
  } catch (error) {
    return error instanceof AppError ? `${error.code}: ${error.message}` : String(error);
  }
}

function said(answer: unknown): string {
  return typeof answer === 'string' ? answer : 'done';
}
