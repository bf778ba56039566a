import { BUTTON_SNOOZE_SECONDS, type ButtonVerb, isButtonVerb } from '../../domain/alert/button.ts';
import type { Channel } from '../../domain/alert/channel.ts';
import type { Delivery } from '../../domain/alert/delivery.ts';
import type { Check } from '../../domain/check/check.ts';
import { checkLabel } from '../../domain/check/check-label.ts';
import type { Flip } from '../../domain/check/flip.ts';
import { scheduleWords } from '../../domain/check/schedule-words.ts';
import { type Instant, seconds } from '../../lib/instant.ts';
import { ageText, spanText } from '../../lib/text/ages.ts';
import type { Reads, Writes } from '../../storage/store.ts';
import { pauseLocked } from '../check/checks.ts';
import { systemActor } from '../core/actor.ts';
import { shownActor } from '../core/audit.ts';
import type { Deps } from '../core/deps.ts';
import { acknowledgeByLink, endOfOutage, snoozeByLink } from './answers.ts';
import { type ButtonRef, buttonKind } from './buttons.ts';
import { lookAtMany, pressMany } from './pressed-many.ts';
import {
  isAllowed,
  type Named,
  namedIn,
  type PressedButton,
  type Presser,
  projectNameOf,
  type ShownButton,
  SWITCHED_OFF,
  type Told,
  timeText,
} from './pressing.ts';

const TEST_TEXT = (siteName: string) => `It works: this phone reaches ${siteName}. Nothing was changed.`;

/** Looks at a button and changes nothing. Null if the link is not right, or the check or the integration is gone. */
export async function lookAtButton(
  deps: Deps,
  ref: ButtonRef,
  siteName: string,
): Promise<ShownButton | null> {
  const kind = buttonKind(deps.vault, ref, deps.clock.now());
  if (kind === null || !isButtonVerb(ref.verb)) return null;
  if (kind === 'test') return { kind: 'told', text: TEST_TEXT(siteName) };
  if (kind === 'many') return lookAtMany(deps, ref);
  const found = await subjectOf(deps.store, ref, (id) => deps.store.checks.byId(id));
  if (found === null) return null;
  const { check, channel, project, flip } = found;
  if (!isAllowed(deps, channel, ref.verb)) return { kind: 'told', text: SWITCHED_OFF };
  const end = await endOfOutage(deps.store, check, flip.id);
  if (end !== null) return { kind: 'told', text: endText(deps, check, end) };
  return {
    kind: 'ready',
    verb: ref.verb,
    name: checkLabel(check.name),
    projectName: projectNameOf(project),
    cause: causeText(check, flip, deps.clock.now()),
    isMany: false,
    page: { of: 'check', uniqueKey: check.uniqueKey },
  };
}

/**
 * Does what the button says. The setting of the integration, read while the check is locked, is the permission. A
 * second press changes nothing that matters, and says so. Null as above, and nothing was changed.
 */
export async function pressButton(
  deps: Deps,
  ref: ButtonRef,
  presser: Presser,
  siteName: string,
): Promise<PressedButton | null> {
  const kind = buttonKind(deps.vault, ref, deps.clock.now());
  const { verb } = ref;
  if (kind === null || !isButtonVerb(verb)) return null;
  if (kind === 'test') return { text: TEST_TEXT(siteName), done: null, page: null };
  if (kind === 'many') return pressMany(deps, ref, presser);
  return deps.store.transaction(async (tx) => {
    const found = await subjectOf(tx, ref, async (id, channel) => {
      if (presser.isReader?.(channel) === false) return null;
      // Projects are locked before checks. A pause is no answer to an outage.
      if (verb !== 'pause' && isAllowed(deps, channel, verb))
        await tx.projects.usePolicies(channel.projectId);
      return tx.checks.lock(id);
    });
    // Somebody may have edited the integration while this waited for the lock.
    const channel = found && (await tx.channels.byId(found.channel.id));
    if (found === null || channel === null) return null;
    const page = { of: 'check', uniqueKey: found.check.uniqueKey } as const;
    if (!isAllowed(deps, channel, verb)) return { text: SWITCHED_OFF, done: null, page };
    return { ...(await VERBS[verb](deps, tx, found, namedIn(deps, channel, presser))), page };
  });
}

/** The check, the integration and the change that a message is about. */
interface Subject {
  readonly check: Check;
  readonly channel: Channel;
  readonly project: { readonly name: string };
  readonly flip: Flip;
}

type Act = (deps: Deps, tx: Writes, subject: Subject, named: Named) => Promise<Told>;

const VERBS: Readonly<Record<ButtonVerb, Act>> = {
  async acknowledge(deps, tx, { check, flip }, { by, called }) {
    const answer = await acknowledgeByLink(deps, tx, check, flip.id, by);
    if (answer.kind === 'over') return { text: endText(deps, check, answer.endedAt), done: null };
    if (answer.kind === 'done')
      return { text: `Acknowledged by ${by.name}.`, done: `✓ Acknowledged by ${called}` };
    return {
      text: `Already acknowledged by ${answer.by} at ${timeText(deps, check, answer.at)}.`,
      done: `✓ Acknowledged by ${answer.by}`,
    };
  },
  async snooze(deps, tx, { check, flip }, { by }) {
    const answer = await snoozeByLink(deps, tx, check, flip.id, seconds(BUTTON_SNOOZE_SECONDS), by);
    if (answer.kind === 'over') return { text: endText(deps, check, answer.endedAt), done: null };
    return { text: `Snoozed until ${timeText(deps, check, answer.until)}.`, done: null };
  },
  async pause(deps, tx, { check, flip }, { by, called }) {
    if (check.status === 'paused') {
      const who = await pausedBy(tx, check);
      return { text: `Already paused${who === null ? '' : ` by ${who}`}.`, done: '✓ Paused' };
    }
    const end = await endOfOutage(tx, check, flip.id);
    if (end !== null) return { text: endText(deps, check, end), done: null };
    const actor = systemActor(check.projectId, by);
    await pauseLocked(deps, tx, actor, check);
    return { text: `Paused by ${by.name}.`, done: `✓ Paused by ${called}` };
  },
};

async function subjectOf(
  reads: Pick<Reads, 'deliveries' | 'channels' | 'projects' | 'flips'>,
  { deliveryUuid }: ButtonRef,
  findCheck: (id: Delivery['checkId'], channel: Channel) => Promise<Check | null>,
): Promise<Subject | null> {
  const delivery = await reads.deliveries.byUuid(deliveryUuid);
  if (delivery === null) return null;
  const channel = await reads.channels.byId(delivery.channelId);
  const check = channel && (await findCheck(delivery.checkId, channel));
  // A check that waits to be deleted is in another project.
  if (check === null || channel === null || check.projectId !== channel.projectId) return null;
  const project = await reads.projects.byId(check.projectId);
  const flip = await reads.flips.byId(delivery.flipId);
  if (project === null || project.deletesAt !== null || flip === null) return null;
  return { check, channel, project, flip };
}

function endText(deps: Pick<Deps, 'clock'>, check: Check, endedAt: Instant): string {
  const happened = check.status === 'paused' ? 'was paused' : 'came up';
  return `${checkLabel(check.name)} ${happened} at ${timeText(deps, check, endedAt)}. Nothing was changed.`;
}

/** Who has paused the check. Null if the log does not say. */
async function pausedBy(tx: Writes, { projectId, uniqueKey, lastFlipAt }: Check): Promise<string | null> {
  if (lastFlipAt === null) return null;
  const span = { from: lastFlipAt, before: lastFlipAt + LOGGED_WITHIN };
  const acts = await tx.auditLog.page({ projectId }, { after: null, ...span, most: MAX_ACTS });
  const act = acts.findLast(({ action, subject }) => action === 'check.paused' && subject.id === uniqueKey);
  return act === undefined ? null : shownActor(tx, act);
}

/** An act is logged in its transaction. */
const LOGGED_WITHIN = seconds(5);
const MAX_ACTS = 100;

/** Why it went down: `No ping for 26 h, expected every day at 03:00.` */
function causeText(check: Check, { reason, cause, createdAt }: Flip, now: Instant): string {
  const ago = `${ageText(now - createdAt)} ago`;
  if (reason === 'fail') return `It reported a failure ${ago}.`;
  if (cause === 'overran') return `A run did not end in time, ${ago}.`;
  const words = scheduleWords(check);
  const expected = `expected ${words.charAt(0).toLowerCase()}${words.slice(1)}`;
  if (check.lastPingAt === null) return `No ping yet, ${expected}.`;
  // It has failed since, so that its last ping says nothing of why it went down.
  if (check.lastPingAt > createdAt) return `A run did not come, ${ago}, ${expected}.`;
  return `No ping for ${spanText(now - check.lastPingAt)}, ${expected}.`;
}
