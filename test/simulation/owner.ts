import type { Channel } from '../../src/domain/alert/channel.ts';
import type { Check } from '../../src/domain/check/check.ts';
import type { CheckEdit } from '../../src/domain/check/check-edit.ts';
import type { Chance } from '../../src/lib/chance.ts';
import { type Instant, type Micros, seconds } from '../../src/lib/instant.ts';
import { switchChannelOff, switchChannelOn } from '../../src/services/alert/channels.ts';
import type { CheckCommand } from '../../src/services/check/check-commands.ts';
import { type Actor, systemActor } from '../../src/services/core/actor.ts';
import type { Deps } from '../../src/services/core/deps.ts';
import type { CheckVersions, Version } from './check-versions.ts';
import type { Installation } from './installation.ts';
import type { TimingAt } from './naive.ts';
import type { SimulatedNode } from './node.ts';
import { anyTiming } from './population.ts';
import { anyRules, withoutRules } from './ruled-runs.ts';
import type { Switches } from './switches.ts';
import type { Timeline } from './timeline.ts';
import type { Trace } from './trace.ts';

const PATIENCE: Micros = seconds(30);
const ACTS = ['pause', 'pause', 'resume', 'resume', 'time', 'time', 'assign', 'assign', 'delete'] as const;

/** The owner of the checks: pauses, edits, assigns and deletes them, and remembers their configurations. */
export class Owner {
  readonly #timeline: Timeline;
  readonly #installation: Installation;
  readonly #versions: CheckVersions;
  readonly #trace: Trace;
  readonly #chance: Chance;
  readonly #actor: Actor;
  readonly #channels: readonly Channel[];
  /** When the channels were off. */
  readonly switches: Switches;
  readonly #switching: Chance;
  /** Decides about rules for runs; null: there are none. */
  readonly #ruling: Chance | null;
  readonly #onCreated: (check: Check) => void;
  #made = 0;

  constructor(parts: {
    timeline: Timeline;
    installation: Installation;
    versions: CheckVersions;
    trace: Trace;
    chance: Chance;
    ruling: Chance | null;
    switches: Switches;
    projectId: number;
    channels: readonly Channel[];
    onCreated: (check: Check) => void;
  }) {
    this.#timeline = parts.timeline;
    this.#installation = parts.installation;
    this.#versions = parts.versions;
    this.#trace = parts.trace;
    this.#chance = parts.chance;
    this.#actor = systemActor(parts.projectId);
    this.#channels = parts.channels;
    this.#switching = parts.chance.fork('switches');
    this.#ruling = parts.ruling;
    this.switches = parts.switches;
    this.#onCreated = parts.onCreated;
  }

  get uuids(): string[] {
    return this.#versions.uuids;
  }

  /** The present configuration; null when the check is gone. */
  configOf(uuid: string): Check | null {
    return this.#versions.latestOf(uuid)?.check ?? null;
  }

  /** The configurations of the check in the span. */
  versionsIn(uuid: string, from: Instant, until: Instant): Version[] {
    return this.#versions.in(uuid, from, until);
  }

  /** The timing of the check at a time; null when it was being changed. */
  timingAt(uuid: string): TimingAt {
    const slack = seconds(1) + this.#installation.climate.skew;
    return (at) => {
      const [first, ...others] = this.versionsIn(uuid, at - slack, at + slack);
      const isSame = others.every(
        ({ check }) => first !== undefined && timingText(check) === timingText(first.check),
      );
      return first !== undefined && isSame ? first.check : null;
    };
  }

  async create(): Promise<void> {
    const timing = anyTiming(this.#chance);
    const edit: CheckEdit = {
      name: `job ${++this.#made}`,
      manualResume: this.#chance.happens(0.1),
      ...timing,
    };
    if (this.#ruling?.happens(0.7)) edit.runRules = anyRules(this.#ruling);
    const channels = this.#anyChannels();
    const [node] = this.#installation.serving;
    if (node === undefined) return this.#timeline.sleep(seconds(1));
    const since = this.#timeline.now;
    const made = await this.#patiently(
      node.checkWriter.perform({
        verb: 'create',
        actor: this.#actor,
        input: { edit, channels, match: null },
      }),
    );
    if (typeof made === 'string') return;
    await this.#versions.add(made.check, since);
    this.#tell(`created: ${described(made.check)}`, made.check.uuid);
    this.#onCreated(made.check);
  }

  /** One act on one check. Where it fails, what became of it is read from the database. */
  async act(): Promise<void> {
    if (this.uuids.length === 0) return;
    const uuid = this.#chance.pick(this.uuids);
    const act = this.#chance.pick(ACTS);
    const check = this.configOf(uuid);
    const node = this.#installation.serving[0];
    if (check === null || node === undefined) return;
    if (this.#switching.happens(0.3)) await this.#switchChannel(node.deps);
    const edit = anyTiming(this.#chance);
    const channels = this.#anyChannels();
    const isRare = this.#chance.happens(0.3);
    if (act === 'delete' && !isRare) return;
    const on = { actor: this.#actor, id: check.id };
    const commands: Record<(typeof ACTS)[number], CheckCommand> = {
      pause: { verb: 'pause', ...on },
      resume: { verb: 'resume', ...on },
      time: { verb: 'update', ...on, input: { edit } },
      assign: { verb: 'update', ...on, input: { edit: {}, channels } },
      delete: { verb: 'delete', ...on },
    };
    await this.#perform(node, check, act, commands[act]);
    if (act === 'delete') await this.create();
    if (this.#ruling?.happens(0.6)) await this.#changeRules(this.#ruling);
  }

  /** Deletes the check, perhaps so that it could be restored, and makes another one. */
  async replace(uuid: string, isRestorable: boolean): Promise<void> {
    const check = this.configOf(uuid);
    const node = this.#installation.serving[0];
    if (check === null || node === undefined) return;
    const on = { actor: this.#actor, id: check.id };
    await this.#perform(
      node,
      check,
      'delete',
      isRestorable ? { verb: 'remove', ...on, assurance: 'given' } : { verb: 'delete', ...on },
    );
    await this.create();
  }

  async #changeRules(ruling: Chance): Promise<void> {
    const check = this.configOf(ruling.pick(this.uuids));
    const node = this.#installation.serving[0];
    if (check === null || node === undefined) return;
    const runRules = ruling.happens(0.7) ? anyRules(ruling) : withoutRules(ruling);
    const input = { edit: { runRules } };
    await this.#perform(node, check, 'rules', { verb: 'update', actor: this.#actor, id: check.id, input });
  }

  async #perform(
    node: SimulatedNode,
    { id, uuid }: Check,
    act: string,
    command: CheckCommand,
  ): Promise<void> {
    const change = this.#versions.begin(uuid);
    const answer = await this.#patiently(node.checkWriter.perform(command));
    const outcome = typeof answer === 'string' ? answer : 'done';
    const now = await this.#versions.end(change, id, uuid);
    this.#tell(`${act}: ${outcome}${now === null ? '' : `: ${described(now.check)}`}`, uuid);
  }

  /** Switches a channel off, or on again. */
  async #switchChannel(deps: Deps): Promise<void> {
    const { id, uuid, name } = this.#switching.pick(this.#channels);
    if (!this.switches.begin(id)) return;
    const since = this.#timeline.now;
    const [verb, word] = this.switches.isOff(id) ? [switchChannelOn, 'on'] : [switchChannelOff, 'off'];
    const answer = await this.#patiently(verb(deps, this.#actor, uuid));
    const isAnswered = typeof answer !== 'string';
    this.switches.note(id, since, this.#timeline.now, isAnswered);
    this.#tell(`${name} switched ${word}: ${isAnswered ? 'done' : answer}`, uuid);
  }

  /** The result, or why there is none. A node that dies in the middle of it never answers. */
  #patiently<T extends object>(work: Promise<T>): Promise<T | string> {
    const patience = this.#timeline.sleep(PATIENCE).then(() => 'no answer');
    return Promise.race([work.catch((error: unknown) => String(error)), patience]);
  }

  #anyChannels(): string {
    if (this.#chance.happens(0.1)) return '*';
    return this.#chance
      .some(
        this.#channels.map(({ name }) => name),
        0.35,
      )
      .join(',');
  }

  #tell(text: string, uuid: string): void {
    this.#trace.tell(this.#timeline.now, `owner: ${text}`, uuid);
  }
}

function described(check: Check): string {
  const { id, kind, timeoutSeconds, schedule, tz, graceSeconds, status, runRules } = check;
  const cadence = kind === 'simple' ? `every ${timeoutSeconds} s` : `${JSON.stringify(schedule)} in ${tz}`;
  return `check ${id}, ${cadence}, grace ${graceSeconds} s, ${status}${runRules === '' ? '' : `, ${runRules}`}`;
}

function timingText({ kind, timeoutSeconds, schedule, tz, graceSeconds, runRules }: Check): string {
  return JSON.stringify([kind, timeoutSeconds, schedule, tz, graceSeconds, runRules]);
}
