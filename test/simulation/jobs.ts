import type { Check } from '../../src/domain/check/check.ts';
import { nextOccurrence } from '../../src/domain/schedule/schedule.ts';
import type { Chance } from '../../src/lib/chance.ts';
import { type Instant, type Micros, seconds } from '../../src/lib/instant.ts';
import { incomingPing } from '../records.ts';
import type { Installation } from './installation.ts';
import { partsOf, type Report, wordsOf } from './report.ts';
import type { Habits } from './ruled-runs.ts';
import type { Timeline } from './timeline.ts';
import type { Trace } from './trace.ts';

/** One try of a client to send a ping, with what it learned. */
export interface Sent {
  readonly mark: string;
  readonly checkUuid: string;
  readonly report: Report;
  readonly at: Instant;
  /** Pings of one burst are received in the order of their places; null: it was sent alone. */
  readonly burst: { readonly id: number; readonly place: number } | null;
  /** When the answer came that it was recorded; null when none did. */
  acknowledgedAt: Instant | null;
}

/** The mark of the try at that place in the list of all, and the place by the mark. */
export const markOf = (index: number) => `try-${index}`;
export const indexOf = (mark: string) => Number(mark.slice('try-'.length));

export interface JobWorld {
  readonly timeline: Timeline;
  readonly installation: Installation;
  readonly trace: Trace;
  /** The check as its owner has configured it; null when it is gone. */
  configOf(uuid: string): Check | null;
  /** The deadline as the database has it; null when there is none. */
  deadlineOf(id: number): Promise<Instant | null>;
  readonly sent: Sent[];
  /** Whether jobs tell what they have written. */
  readonly hasOutput: boolean;
  /** A ping is about to be sent that tells what is so now. It is sent when this resolves. Null: at once. */
  beforeSending(uuid: string, report: Report, mark: string): Promise<void> | null;
  /** Told when a ping is about to be sent. */
  onSending(uuid: string): void;
  /** Told when a ping was sent, with or without an answer. */
  onSent(uuid: string): void;
}

/** A report that could not be sent when the thing happened. */
interface Kept {
  readonly report: Report;
  readonly at: Instant;
}

/** How long a machine is cut off, in seconds. */
const CUT_OFF = [300, 1800, 3600, 6 * 3600, 86_400, 2 * 86_400];

const CLIENT_TIMEOUT: Micros = seconds(10);
const TRIES = 4;

/** A job that is watched by a check: mostly it does what it should, and tells so. */
export class Job {
  readonly #world: JobWorld;
  readonly #uuid: string;
  readonly #chance: Chance;
  /** Whether it tells of its start, too. */
  readonly #tellsStart: boolean;
  readonly #usesRunIds: boolean;
  /** The probability of a failure. */
  readonly #trouble: number;
  /** Decides about its line. */
  readonly #line: Chance;
  /** Whether it keeps what could not be sent, and sends it later. */
  readonly #keeps: boolean;
  /** How it tells of its runs, if there may be rules for them. */
  readonly #habits: Habits | null;
  #spool: Kept[] = [];
  #cutOffUntil: Instant = 0;

  constructor(world: JobWorld, uuid: string, habits: Habits | null, chance: Chance, line: Chance) {
    this.#world = world;
    this.#uuid = uuid;
    this.#habits = habits;
    this.#chance = chance;
    this.#line = line;
    this.#keeps = line.happens(0.5);
    this.#tellsStart = chance.happens(0.4);
    this.#usesRunIds = chance.happens(0.5);
    this.#trouble = chance.pick([0, 0.02, 0.1]);
  }

  /** Runs again and again until its check is gone. */
  async live(until: Instant): Promise<void> {
    const { timeline } = this.#world;
    await timeline.sleep(seconds(this.#chance.between(0, 3600)));
    while (timeline.now < until) {
      const check = this.#world.configOf(this.#uuid);
      if (check === null) return;
      if (this.#keeps && this.#line.happens(0.08)) this.#cutOff();
      await this.#run(check);
      const now = this.#world.configOf(this.#uuid);
      if (now === null) return;
      await timeline.sleep(Math.max(seconds(1), this.#nextRunAt(now) - timeline.now));
    }
  }

  #cutOff(): void {
    const { timeline, trace } = this.#world;
    const span = this.#line.pick(CUT_OFF);
    trace.tell(timeline.now, `its machine is cut off for ${span} s`, this.#uuid);
    this.#cutOffUntil = timeline.now + seconds(span);
    // Some send what they have kept once the line is back, others with the next run.
    if (this.#line.happens(0.5)) timeline.at(this.#cutOffUntil, () => void this.#sendKept());
  }

  #nextRunAt(check: Check): Instant {
    const { now } = this.#world.timeline;
    if (check.kind === 'simple') {
      return now + Math.round(seconds(check.timeoutSeconds) * (0.6 + this.#chance.fraction() * 0.35));
    }
    const next = nextOccurrence(check.schedule, check.tz, now) ?? now + seconds(86_400);
    return next - (this.#habits?.earliness() ?? 0);
  }

  async #run(check: Check): Promise<void> {
    const chance = this.#chance;
    const { timeline } = this.#world;
    const rid = this.#usesRunIds ? chance.uuid() : null;
    const fate = chance.happens(this.#trouble)
      ? chance.pick(['dead', 'late', 'hung', 'fails', 'chatty', 'race'] as const)
      : 'well';
    const grace = seconds(check.graceSeconds);
    if (fate === 'dead') {
      await timeline.sleep(chance.pick([grace, seconds(check.timeoutSeconds), seconds(2 * 86_400)]));
      return;
    }
    if (fate === 'race') await this.#waitForDeadline(check);
    if (fate === 'late') await timeline.sleep(grace + seconds(chance.between(-2, 600)));
    if (this.#habits !== null && fate === 'well') return this.#tell(check, this.#habits);
    if (this.#tellsStart || fate === 'hung') await this.#send({ signal: 'start', rid });
    if (fate === 'hung') return timeline.sleep(grace * 2);
    if (this.#tellsStart) await timeline.sleep(Math.round(grace * chance.fraction() * 0.6));
    if (fate === 'chatty') await this.#send({ signal: 'log', rid });
    await this.#send({ signal: fate === 'fails' ? 'fail' : 'success', rid: this.#tellsStart ? rid : null });
  }

  async #tell(check: Check, habits: Habits): Promise<void> {
    for (const { after, report, isTooLateByAHair } of habits.course(check)) {
      if (isTooLateByAHair) await this.#waitForDeadline(check);
      else await this.#world.timeline.sleep(after);
      await this.#send(report);
    }
  }

  /** Comes too late by a hair, while the nodes are held up and have not noticed. */
  async #waitForDeadline({ id }: Check): Promise<void> {
    const { timeline, installation } = this.#world;
    const deadline = await this.#world.deadlineOf(id);
    if (deadline === null || deadline - timeline.now > seconds(86_400)) return;
    await timeline.sleep(deadline - timeline.now - seconds(1));
    for (const name of installation.names) installation.holdUp(name, seconds(3));
    await timeline.sleep(seconds(1 + this.#chance.fraction()));
  }

  /** Like a careful client: tries again when no answer comes, or one that asks for it. */
  async #send(report: Report): Promise<void> {
    const { timeline } = this.#world;
    const at = timeline.now;
    if (at < this.#cutOffUntil) return this.#keep({ report, at });
    for (let tries = 1; tries <= TRIES; tries++) {
      if (await this.#try(report)) return this.#sendKept();
      await timeline.sleep(seconds(this.#chance.between(1, 10) * tries));
    }
    this.#keep({ report, at });
  }

  #keep(ping: Kept): void {
    if (this.#keeps) this.#spool.push(ping);
  }

  /** One after the other, the oldest first. What was not answered is sent again later. */
  async #sendKept(): Promise<void> {
    const { timeline } = this.#world;
    const kept = this.#spool;
    this.#spool = [];
    for (const [index, { report, at }] of kept.entries()) {
      if (await this.#try(report, timeline.now - at)) continue;
      this.#spool = [...kept.slice(index), ...this.#spool];
      return;
    }
  }

  async #try(report: Report, age?: Micros): Promise<boolean> {
    const { timeline, installation, trace, sent } = this.#world;
    const mark = markOf(sent.length);
    const entry: Sent = {
      mark,
      checkUuid: this.#uuid,
      report,
      at: timeline.now,
      burst: null,
      acknowledgedAt: null,
    };
    sent.push(entry);
    const asking = age === undefined ? this.#world.beforeSending(this.#uuid, report, mark) : null;
    if (asking !== null) await asking;
    const { open } = installation;
    if (open.length === 0) return false;
    const node = this.#chance.pick(open);
    this.#world.onSending(this.#uuid);
    const parts = partsOf(report, mark, this.#world.hasOutput);
    const ping = incomingPing({ uuid: this.#uuid }, { ...parts, age });
    const answer = node.receive(ping).then(
      (outcome) => (typeof outcome === 'string' ? outcome : 'failed'),
      () => 'refused',
    );
    const outcome = await Promise.race([answer, timeline.sleep(CLIENT_TIMEOUT).then(() => 'no answer')]);
    trace.tell(
      timeline.now,
      `${mark}: ${wordsOf(report)}${age === undefined ? '' : `, ${age / 1e6} s old,`} to ${node.name}: ${outcome}`,
      this.#uuid,
    );
    if (outcome === 'recorded') entry.acknowledgedAt = timeline.now;
    this.#world.onSent(this.#uuid);
    return outcome === 'recorded' || outcome === 'not_found';
  }
}
