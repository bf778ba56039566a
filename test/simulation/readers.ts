import { buttonRoutes } from '../../src/http/buttons/routes.ts';
import type { Chance } from '../../src/lib/chance.ts';
import { type Instant, type Micros, seconds } from '../../src/lib/instant.ts';
import type { CheckVersions } from './check-versions.ts';
import type { ComingPings } from './coming-pings.ts';
import type { Installation } from './installation.ts';
import type { Taken } from './internet.ts';
import type { SimulatedNode } from './node.ts';
import type { DeliveryRow, Observed } from './observed.ts';
import type { Answered, PolicyOwner } from './policy-owner.ts';
import type { Timeline } from './timeline.ts';
import { Violation } from './violation.ts';

const HABITS = ['looks', 'soon', 'soon', 'twice', 'late', 'with a ping', 'with a decision'] as const;

/** The clocks of nodes, and the time between an act and its row. */
export const SLACK: Micros = seconds(2);
export const SNOOZE: Micros = seconds(3600);
/** Buttons are good for a week. */
export const GOOD_FOR: Micros = seconds(7 * 86_400);

interface Tap {
  readonly message: DeliveryRow;
  readonly path: string;
  readonly verb: string;
  readonly checkUuid: string;
  readonly takenAt: Instant;
}

/** Whoever reads messages and taps their buttons: soon, twice, late, or in the instant in which something else happens. */
export class Readers {
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

  /** A message has come. Mostly nobody does anything. */
  async read({ deliveryUuid, links, at, checkUuid }: Taken): Promise<void> {
    const chance = this.#chance;
    if (links.length === 0 || !chance.happens(0.3)) return;
    const url = new URL(chance.happens(0.75) ? (links[0] ?? '') : chance.pick(links));
    const [, , , verb = ''] = url.pathname.split('/');
    const message = await this.#observed.delivery(deliveryUuid);
    if (message === null) return;
    const tap: Tap = { message, path: url.pathname, verb, checkUuid, takenAt: at };
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
      case 'with a ping':
        await this.#pings.next(checkUuid);
        await timeline.sleep(chance.between(0, 3_000));
        return this.#tap(tap);
      case 'with a decision': {
        const open = await this.#observed.openOutageOf(message.checkId);
        const wait = (open?.wakeAt ?? 0) - timeline.now;
        await timeline.sleep(Math.max(0, wait) + chance.between(-5_000, 15_000));
        return this.#tap(tap);
      }
    }
  }

  /** Like a scanner or a preview: nothing comes of it. */
  async #look(tap: Tap): Promise<void> {
    const change = this.#checks.begin(tap.checkUuid);
    const before = await this.#state(tap);
    await this.#ask('GET', tap);
    const after = await this.#state(tap);
    this.#checks.of(tap.checkUuid).end(change, null);
    if (change.isAlone && before !== after)
      throw new Violation(`looking at a button has changed ${before} to ${after}`, tap.checkUuid);
  }

  async #tap(tap: Tap): Promise<void> {
    const { checkUuid: uuid, message, verb } = tap;
    const since = this.#timeline.now;
    const [node] = this.#installation.serving;
    if (node === undefined || this.#checks.latestOf(uuid) === null) return;
    const subject = { id: message.checkId, uuid };
    const answered = await this.#owner.asAnswer(node, subject, `tap ${verb}`, () =>
      handle(node, 'POST', tap),
    );
    if (typeof answered.answer === 'string') return;
    this.#count++;
    const fault = await this.#faultOf(tap, answered.answer, since, answered);
    if (fault !== null)
      throw new Violation(`a tap of ${verb} was answered "${answered.answer.text}", but ${fault}`, uuid);
  }

  /** What is wrong about the answer to a tap. */
  async #faultOf(
    { message, takenAt }: Tap,
    { status, text }: Reply,
    since: Instant,
    { isAlone, before, after }: Answered<Reply>,
  ): Promise<string | null> {
    const check = await this.#observed.check(message.checkId);
    const outage = await this.#observed.outageOfFlip(message.flipId);
    const endedAt = await this.#endOf(message);
    if (status === 404) {
      // Old messages are forgotten with old pings, but not while their outage lasts.
      const isOver = outage === null ? endedAt !== null : outage.endedAt !== null;
      const isForgotten = isOver && !(await this.#observed.isStored(message));
      const isGood = check !== null && !isForgotten && since < takenAt + GOOD_FOR - this.#slack;
      return isGood ? 'its link is good' : null;
    }
    const doesNothing = text.includes('Nothing was changed');
    // A check that has come up may be down again by now, in the same outage.
    if (doesNothing && endedAt === null) return isAlone ? 'the outage lasts' : null;
    const isOther = before?.flipId === after?.flipId && before?.acknowledgedAt !== after?.acknowledgedAt;
    if (doesNothing) return isAlone && isOther ? 'another outage is acknowledged' : null;
    if (text.startsWith('Already paused')) return null;
    if (endedAt !== null && endedAt < since - this.#slack) return 'the outage was over';
    if (!isAlone) return null;
    if (text.includes('cknowledged by') && outage !== null && endedAt === null)
      return outage.acknowledgedAt === null ? 'nobody has acknowledged it' : null;
    const snoozedUntil = check?.snoozedUntilAt ?? 0;
    if (text.startsWith('Snoozed until') && snoozedUntil < since + SNOOZE - this.#slack)
      return 'it is not snoozed';
    return null;
  }

  /** When the outage was over that the message tells of, or the check came up. Null: it lasts. */
  async #endOf({ checkId, flipId }: DeliveryRow): Promise<Instant | null> {
    // It may last while the check is up. Whether that is right is judged elsewhere.
    const outage = await this.#observed.outageOfFlip(flipId);
    if (outage !== null) return outage.endedAt ?? outage.recoveringAt;
    const [next] = await this.#observed.flipsOf(checkId, flipId);
    return next?.createdAt ?? null;
  }

  /** What taps can change. */
  async #state({ message: { flipId, checkId } }: Tap): Promise<string> {
    const taken = [await this.#observed.outageOfFlip(flipId), await this.#observed.openOutageOf(checkId)];
    const check = await this.#observed.check(checkId);
    return JSON.stringify([taken.map((one) => one?.acknowledgedAt ?? null), check?.snoozedUntilAt ?? null]);
  }

  async #ask(method: 'GET' | 'POST', tap: Tap): Promise<void> {
    const [node] = this.#installation.serving;
    if (node !== undefined) await node.life.untilDeath(handle(node, method, tap)).catch(() => undefined);
  }
}

export interface Reply {
  readonly status: number;
  readonly text: string;
}

/** Asks for the page of a button, or presses it. */
export async function handle(
  node: SimulatedNode,
  method: 'GET' | 'POST',
  { path }: Pick<Tap, 'path'>,
): Promise<Reply> {
  const [, , delivery = '', verb = '', token = ''] = path.split('/');
  const [route] = buttonRoutes(node.deps, { root: 'http://testserver', name: 'Tocsin' });
  const operation = route?.operations[method] as { handle: (request: unknown) => Promise<unknown> };
  const headers = { accept: 'application/json' };
  const answer = (await operation.handle({
    params: { delivery, verb, token },
    headers,
    remoteAddr: '192.0.2.1',
  })) as { status: number; json?: { text: string }; text?: string };
  return { status: answer.status, text: answer.json?.text ?? answer.text ?? '' };
}
