import type { Chance } from '../../src/lib/chance.ts';
import { seconds } from '../../src/lib/instant.ts';
import { incomingPing } from '../records.ts';
import { type JobWorld, markOf, type Sent } from './jobs.ts';
import type { Observed } from './observed.ts';
import type { Owner } from './owner.ts';
import type { PolicyOwner } from './policy-owner.ts';
import { MAIL_HOST } from './population.ts';
import { partsOf, type Report } from './report.ts';

/** They are told of many at once. */
const MAILS = ['a', 'b'].map((name) => `${MAIL_HOST}/${name}`).join(',');
const KINDS = ['children later', 'children later', 'all', 'all', 'deleted', 'deleted', 'late'] as const;
/** A check that is late by an edit is late for so long already. */
const LATE_BY = 30;
const MIN_GRACE = 60;

/**
 * What several jobs need breaks: they fail together, and are well again together, or first the one that the others wait for. Now and
 * then that one is deleted meanwhile, or is only late at first.
 */
export class Breakdowns {
  readonly #world: JobWorld;
  readonly #observed: Observed;
  readonly #owner: Owner;
  readonly #policies: PolicyOwner;
  readonly #chance: Chance;

  constructor(parts: {
    world: JobWorld;
    observed: Observed;
    owner: Owner;
    policies: PolicyOwner;
    chance: Chance;
  }) {
    this.#world = parts.world;
    this.#observed = parts.observed;
    this.#owner = parts.owner;
    this.#policies = parts.policies;
    this.#chance = parts.chance;
  }

  /** Most checks are told by mail. Half of the owners have no tags, so that only storms are told together. */
  async begin(): Promise<void> {
    const edit = this.#chance.happens(0.5) ? { tags: '' } : {};
    for (const uuid of this.#owner.uuids)
      if (this.#chance.happens(0.8)) await this.#policies.edit(uuid, { edit, channels: MAILS });
  }

  async act(): Promise<void> {
    const chance = this.#chance;
    const [parent, ...others] = chance.shuffled(this.#owner.uuids);
    const children = others.slice(0, chance.pick([2, 3, 5]));
    if (parent === undefined || children.length === 0) return;
    const kind = chance.pick(KINDS);
    if (kind !== 'all' || chance.happens(0.3)) await this.#link(parent, children);
    if (kind === 'late') return this.#failBesideLate(parent, children);
    await this.#fail([parent, ...children]);
    await this.#sleep([20, 120, 600, 1500]);
    if (kind === 'deleted') await this.#owner.replace(parent, chance.happens(0.5));
    else this.#send(parent, 'success');
    if (kind !== 'all') await this.#sleep(kind === 'deleted' ? [75, 300] : [10, 45, 75, 300]);
    for (const child of children) this.#send(child, 'success');
  }

  /** Many of the children are told of as soon as nothing else holds them. */
  async #link(parent: string, children: readonly string[]): Promise<void> {
    const policy = this.#chance.happens(0.6) ? { policy: 'at-once' } : {};
    for (const child of children)
      await this.#policies.edit(child, { edit: { parents: parent, ...policy }, channels: MAILS });
    await this.#sleep([5, 30]);
  }

  async #fail(uuids: readonly string[]): Promise<void> {
    const pause = this.#chance.pick([0, 0.2, 4]);
    for (const uuid of uuids) {
      this.#send(uuid, 'fail');
      await this.#world.timeline.sleep(seconds(pause));
    }
  }

  /** Others fail while it is late, and it goes down later. */
  async #failBesideLate(uuid: string, others: readonly string[]): Promise<void> {
    const { timeline } = this.#world;
    const id = this.#owner.configOf(uuid)?.id;
    const check = id === undefined ? null : await this.#observed.check(id);
    if (check === null || check.lastPingAt === null || check.kind !== 'simple' || check.runRules !== '')
      return;
    const timeoutSeconds = Math.floor((timeline.now - check.lastPingAt) / seconds(1)) - LATE_BY;
    if (timeoutSeconds < MIN_GRACE) return;
    const graceSeconds = LATE_BY + this.#chance.pick([60, 120, 280]);
    await this.#policies.edit(uuid, { edit: { timeoutSeconds, graceSeconds } });
    await this.#sleep([5, 15]);
    await this.#fail(others);
    await this.#sleep([600]);
    const before = { timeoutSeconds: check.timeoutSeconds, graceSeconds: check.graceSeconds };
    await this.#policies.edit(uuid, { edit: before });
    for (const one of [uuid, ...others]) this.#send(one, 'success');
  }

  #sleep(spans: readonly number[]): Promise<void> {
    return this.#world.timeline.sleep(seconds(this.#chance.pick(spans)));
  }

  /** Without a second try. */
  #send(checkUuid: string, signal: Report['signal']): void {
    const { timeline, installation, trace, sent, hasOutput, onSending, onSent } = this.#world;
    const [node] = this.#chance.shuffled(installation.open);
    if (node === undefined) return;
    const report: Report = { signal, rid: null };
    const mark = markOf(sent.length);
    const entry: Sent = { mark, checkUuid, report, at: timeline.now, burst: null, acknowledgedAt: null };
    sent.push(entry);
    onSending(checkUuid);
    trace.tell(timeline.now, `${mark}: ${signal} as others to ${node.name}`, checkUuid);
    node.receive(incomingPing({ uuid: checkUuid }, partsOf(report, mark, hasOutput))).then(
      (outcome) => {
        if (outcome === 'recorded') entry.acknowledgedAt = timeline.now;
        onSent(checkUuid);
      },
      () => undefined,
    );
  }
}
