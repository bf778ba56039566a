import type { Chance } from '../../src/lib/chance.ts';
import { type Instant, type Micros, seconds } from '../../src/lib/instant.ts';
import type { CheckVersions } from './check-versions.ts';
import type { ComingPings } from './coming-pings.ts';
import type { Installation } from './installation.ts';
import type { Taken } from './internet.ts';
import type { SimulatedNode } from './node.ts';
import type { ManyRow, Observed } from './observed.ts';
import type { PolicyOwner } from './policy-owner.ts';
import { GOOD_FOR, handle, type Reply, SLACK, SNOOZE } from './readers.ts';
import type { Timeline } from './timeline.ts';
import { Violation } from './violation.ts';

const HABITS = ['looks', 'soon', 'soon', 'twice', 'twice', 'late', 'with a ping', 'with a ping'] as const;

interface Tap {
  readonly message: ManyRow;
  readonly path: string;
  readonly verb: string;
  readonly takenAt: Instant;
}

/** An outage that the message has told of, with what a tap can change. */
interface Subject {
  readonly id: number;
  readonly uuid: string;
  readonly flipId: number;
  /** Whether it is over, or its check is up. */
  readonly isOver: boolean;
  readonly acknowledgedAt: Instant | null;
  /** Whether the acknowledgement lasts. */
  readonly isTaken: boolean;
  readonly snoozedUntilAt: Instant | null;
  /** The outage of the check that is open now, and since when somebody has it. */
  readonly open: { readonly flipId: number; readonly takenAt: Instant | null } | null;
}

/** Whoever reads messages about several checks and taps *Acknowledge all* or *Snooze all*. */
export class ReadersOfMany {
  readonly #timeline: Timeline;
  readonly #installation: Installation;
  readonly #observed: Observed;
  readonly #owner: PolicyOwner;
  readonly #checks: CheckVersions;
  readonly #chance: Chance;
  readonly #slack: Micros;
  readonly #pings: ComingPings;
  #count = 0;

  constructor(parts: {
    timeline: Timeline;
    installation: Installation;
    observed: Observed;
    owner: PolicyOwner;
    checks: CheckVersions;
    pings: ComingPings;
    chance: Chance;
  }) {
    this.#timeline = parts.timeline;
    this.#installation = parts.installation;
    this.#observed = parts.observed;
    this.#owner = parts.owner;
    this.#checks = parts.checks;
    this.#pings = parts.pings;
    this.#chance = parts.chance;
    this.#slack = SLACK + parts.installation.climate.skew;
  }

  /** Taps that were answered. */
  get count(): number {
    return this.#count;
  }

  /** A message has come. */
  async read({ deliveryUuid, mailLinks, at }: Taken): Promise<void> {
    if (mailLinks.length === 0) return;
    const message = await this.#observed.manyOf(deliveryUuid);
    const chance = this.#chance;
    if (message === null || !chance.happens(0.7)) return;
    const { pathname: path } = new URL(chance.pick(mailLinks));
    const [, , , verb = ''] = path.split('/');
    const tap: Tap = { message, path, verb, takenAt: at };
    if (chance.happens(0.4)) await this.#look(tap);
    const timeline = this.#timeline;
    switch (chance.pick(HABITS)) {
      case 'looks':
        return;
      case 'soon':
        await timeline.sleep(seconds(chance.pick([2, 20, 120, 1200])));
        return this.#tap(tap);
      case 'twice':
        await timeline.sleep(seconds(chance.pick([2, 300])));
        await Promise.all([
          this.#tap(tap),
          timeline.sleep(seconds(chance.pick([0, 0.001, 3]))).then(() => this.#tap(tap)),
        ]);
        return;
      case 'late':
        await timeline.sleep(seconds(chance.pick([2 * 3600, 9 * 3600, 30 * 3600])));
        return this.#tap(tap);
      case 'with a ping': {
        // Perhaps it is the one by which a check comes up.
        const subjects = await this.#subjectsOf(tap);
        if (subjects.length === 0) return;
        await this.#pings.next(chance.pick(subjects).uuid);
        await timeline.sleep(chance.between(0, 3_000));
        return this.#tap(tap);
      }
    }
  }

  /** Like a scanner or a preview: nothing comes of it. */
  async #look(tap: Tap): Promise<void> {
    const [node] = this.#installation.serving;
    if (node === undefined) return;
    const before = await this.#subjectsOf(tap);
    const changes = before.map(({ uuid }) => ({ uuid, change: this.#checks.begin(uuid) }));
    await node.life.untilDeath(handle(node, 'GET', tap)).catch(() => undefined);
    const after = await this.#subjectsOf(tap);
    for (const { uuid, change } of changes) this.#checks.of(uuid).end(change, null);
    const isAlone = changes.every(({ change }) => change.isAlone);
    const answersOf = (subjects: readonly Subject[]) =>
      JSON.stringify(subjects.map((one) => [one.acknowledgedAt, one.snoozedUntilAt]));
    const isTaken = before.some((one, index) => isTakenBetween(one, after[index]));
    if (isAlone && before.length === after.length && (isTaken || answersOf(before) !== answersOf(after)))
      throw new Violation(
        `looking at a button of many has changed ${answersOf(before)} to ${answersOf(after)}`,
      );
  }

  async #tap(tap: Tap): Promise<void> {
    const [node] = this.#installation.serving;
    if (node === undefined) return;
    const since = this.#timeline.now;
    const before = await this.#subjectsOf(tap);
    const { answer, isAlone } = await this.#press(node, tap, before);
    if (typeof answer === 'string') return;
    this.#count++;
    const fault = this.#faultOf(tap, answer, since, before, await this.#subjectsOf(tap), isAlone);
    if (fault !== null)
      throw new Violation(`a tap of ${tap.verb} all was answered "${answer.text}", but ${fault}`);
  }

  #press(node: SimulatedNode, tap: Tap, subjects: readonly Subject[]) {
    const checks = [...Map.groupBy(subjects, ({ uuid }) => uuid).values()].flatMap(([one]) => one ?? []);
    return this.#owner.asAnswerForMany(node, checks, `tap ${tap.verb} all`, () => handle(node, 'POST', tap));
  }

  /** What is wrong about the answer to a tap. */
  #faultOf(
    { takenAt, verb }: Tap,
    { status, text }: Reply,
    since: Instant,
    before: readonly Subject[],
    after: readonly Subject[],
    isAlone: boolean,
  ): string | null {
    if (status === 404) return since < takenAt + GOOD_FOR - this.#slack ? 'its link is good' : null;
    const open = after.filter(({ isOver }) => !isOver);
    const doesNothing = text.includes('Nothing was changed');
    if (!isAlone || before.length !== after.length) return null;
    if (doesNothing && open.length > 0) return `${open.length} of the outages last`;
    if (before.every(({ isOver }) => isOver) && !doesNothing) return 'all outages were over';
    // The message may tell of that one, too.
    const isMeant = (subject: Subject | undefined) =>
      after.some(({ flipId }) => flipId === subject?.open?.flipId);
    if (
      before.some((one, index) => one.isOver && isTakenBetween(one, after[index]) && !isMeant(after[index]))
    )
      return 'another outage is acknowledged';
    if (doesNothing) return null;
    // Those that ended meanwhile may have been among them.
    const mayHaveEnded = before.filter(({ isOver }) => !isOver).length - open.length;
    const said = Number(/^\d+/.exec(text)?.[0] ?? 0);
    if (verb === 'snooze') {
      const awake = open.filter(({ snoozedUntilAt }) => (snoozedUntilAt ?? 0) < since + SNOOZE - this.#slack);
      if (awake.length > 0) return `${awake.length} of them are not snoozed`;
      return said < open.length || said > open.length + mayHaveEnded ? `${open.length} are down` : null;
    }
    if (open.some(({ isTaken }) => !isTaken)) return 'nobody has acknowledged one of them';
    const taken = after.filter(
      ({ acknowledgedAt }, index) => acknowledgedAt !== before[index]?.acknowledgedAt,
    );
    return said === taken.length ? null : `${taken.length} were acknowledged by it`;
  }

  /** The outages that the message told of, of checks that are still there. */
  async #subjectsOf({ message }: Tap): Promise<Subject[]> {
    const rows = await this.#observed.toldIn(message.id);
    const flips = new Map(rows.filter(({ status }) => status === 'down').map((row) => [row.flipId, row]));
    const subjects: Subject[] = [];
    for (const { flipId, checkId } of flips.values()) {
      const check = await this.#observed.check(checkId);
      const outage = await this.#observed.outageOfFlip(flipId);
      if (check === null || outage === null || this.#checks.latestOf(check.uuid) === null) continue;
      const open = await this.#observed.openOutageOf(checkId);
      const { acknowledgedAt, acknowledgedUntilAt } = outage;
      const lastsUntil = acknowledgedUntilAt ?? Number.POSITIVE_INFINITY;
      subjects.push({
        ...{ id: checkId, uuid: check.uuid, flipId, acknowledgedAt },
        isOver: outage.endedAt !== null || outage.recoveringAt !== null,
        isTaken: acknowledgedAt !== null && lastsUntil > this.#timeline.now - this.#slack,
        snoozedUntilAt: check.snoozedUntilAt,
        open: open && { flipId: open.flipId, takenAt: open.acknowledgedAt },
      });
    }
    return subjects;
  }
}

/** Whether somebody has taken the outage that is open afterwards, whichever that is, or given it back. */
function isTakenBetween({ open: before }: Subject, after: Subject | undefined): boolean {
  const open = after?.open ?? null;
  if (open === null) return false;
  return open.takenAt !== (before?.flipId === open.flipId ? before.takenAt : null);
}
