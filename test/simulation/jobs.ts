import type { Check } from '../../src/domain/check/check.ts';
import type { IncomingPing } from '../../src/domain/ping/incoming-ping.ts';
import { nextOccurrence } from '../../src/domain/schedule/schedule.ts';
import type { Chance } from '../../src/lib/chance.ts';
import { type Instant, type Micros, seconds } from '../../src/lib/instant.ts';
import { incomingPing } from '../records.ts';
import type { Installation } from './installation.ts';
import type { Timeline } from './timeline.ts';
import type { Trace } from './trace.ts';

/** One try of a client to send a ping, with what it learned. */
export interface Sent {
  readonly mark: string;
  readonly checkUuid: string;
  readonly signal: string;
  readonly at: Instant;
  /** Pings of one burst are received in the order of their places; null: it was sent alone. */
  readonly burst: { readonly id: number; readonly place: number } | null;
  /** When the answer came that it was recorded; null when none did. */
  acknowledgedAt: Instant | null;
}

export interface JobWorld {
  readonly timeline: Timeline;
  readonly installation: Installation;
  readonly trace: Trace;
  /** The check as its owner has configured it; null when it is gone. */
  configOf(uuid: string): Check | null;
  /** The deadline as the database has it; null when there is none. */
  deadlineOf(id: number): Promise<Instant | null>;
  readonly sent: Sent[];
}

/** A ping that could not be sent when the thing happened. */
interface Kept {
  readonly signal: IncomingPing['signal'];
  readonly rid: string | null;
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
  #spool: Kept[] = [];
  #cutOffUntil: Instant = 0;

  constructor(world: JobWorld, uuid: string, chance: Chance, line: Chance) {
    this.#world = world;
    this.#uuid = uuid;
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
    return nextOccurrence(check.schedule, check.tz, now) ?? now + seconds(86_400);
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
    if (this.#tellsStart || fate === 'hung') await this.#send('start', rid);
    if (fate === 'hung') return timeline.sleep(grace * 2);
    if (this.#tellsStart) await timeline.sleep(Math.round(grace * chance.fraction() * 0.6));
    if (fate === 'chatty') await this.#send('log', rid);
    await this.#send(fate === 'fails' ? 'fail' : 'success', this.#tellsStart ? rid : null);
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
  async #send(signal: IncomingPing['signal'], rid: string | null): Promise<void> {
    const { timeline } = this.#world;
    const at = timeline.now;
    if (at < this.#cutOffUntil) return this.#keep({ signal, rid, at });
    for (let tries = 1; tries <= TRIES; tries++) {
      if (await this.#try(signal, rid)) return this.#sendKept();
      await timeline.sleep(seconds(this.#chance.between(1, 10) * tries));
    }
    this.#keep({ signal, rid, at });
  }

  #keep(ping: Kept): void {
    if (this.#keeps) this.#spool.push(ping);
  }

  /** One after the other, the oldest first. What was not answered is sent again later. */
  async #sendKept(): Promise<void> {
    const { timeline } = this.#world;
    const kept = this.#spool;
    this.#spool = [];
    for (const [index, { signal, rid, at }] of kept.entries()) {
      if (await this.#try(signal, rid, timeline.now - at)) continue;
      this.#spool = [...kept.slice(index), ...this.#spool];
      return;
    }
  }

  async #try(signal: IncomingPing['signal'], rid: string | null, age?: Micros): Promise<boolean> {
    const { timeline, installation, trace, sent } = this.#world;
    const mark = `try-${sent.length}`;
    const entry: Sent = {
      mark,
      checkUuid: this.#uuid,
      signal,
      at: timeline.now,
      burst: null,
      acknowledgedAt: null,
    };
    sent.push(entry);
    const { open } = installation;
    if (open.length === 0) return false;
    const node = this.#chance.pick(open);
    const ping = incomingPing({ uuid: this.#uuid }, { signal, rid, age, userAgent: mark });
    const answer = node.receive(ping).then(
      (outcome) => (typeof outcome === 'string' ? outcome : 'failed'),
      () => 'refused',
    );
    const outcome = await Promise.race([answer, timeline.sleep(CLIENT_TIMEOUT).then(() => 'no answer')]);
    trace.tell(
      timeline.now,
      `${mark}: ${signal}${age === undefined ? '' : `, ${age / 1e6} s old,`} to ${node.name}: ${outcome}`,
      this.#uuid,
    );
    if (outcome === 'recorded') entry.acknowledgedAt = timeline.now;
    return outcome === 'recorded' || outcome === 'not_found';
  }
}
