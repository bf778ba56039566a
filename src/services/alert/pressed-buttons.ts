import { BUTTON_SNOOZE_SECONDS, type ButtonVerb, isButtonVerb, verbsOf } from '../../domain/alert/button.ts';
import type { Channel } from '../../domain/alert/channel.ts';
import type { Delivery } from '../../domain/alert/delivery.ts';
import type { Check } from '../../domain/check/check.ts';
import { checkLabel } from '../../domain/check/check-label.ts';
import type { Flip } from '../../domain/check/flip.ts';
import { scheduleWords, scheduleZone } from '../../domain/check/schedule-words.ts';
import type { ActedBy } from '../../domain/people/audit.ts';
import { buttonChoice, labelOf } from '../../integrations/registry.ts';
import { type Instant, seconds } from '../../lib/instant.ts';
import { spanText } from '../../lib/text/ages.ts';
import { clockText } from '../../lib/text/clock-text.ts';
import { DEFAULT_DATE_STYLE } from '../../lib/text/date-style.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import { zoneCity } from '../../lib/zone.ts';
import type { Reads, Writes } from '../../storage/store.ts';
import { pauseLocked } from '../check/checks.ts';
import { systemActor } from '../core/actor.ts';
import type { Deps } from '../core/deps.ts';
import { acknowledgeByLink, endOfOutage, snoozeByLink } from './answers.ts';
import { type ButtonRef, buttonKind } from './buttons.ts';
import { recipientIn } from './channel-links.ts';
import { calledName } from './channel-names.ts';

/** A button before somebody presses it. */
export type ShownButton =
  | {
      readonly kind: 'ready';
      readonly verb: ButtonVerb;
      readonly name: string;
      readonly projectName: string;
      readonly uniqueKey: string;
      /** Why the check is down. */
      readonly cause: string;
    }
  /** There is nothing to press. */
  | { readonly kind: 'told'; readonly text: string };

/** What has become of it, as a sentence. */
export interface PressedButton extends Told {
  /** The check that it was about. Null: none. */
  readonly uniqueKey: string | null;
}

interface Told {
  readonly text: string;
  /** A few words that can stand in the place of the buttons. Null if they can be used again. */
  readonly done: string | null;
}

/** Who has pressed it, as far as that is known. */
export interface Presser {
  /** A name that the provider gives the person. Null where nobody knows it. */
  readonly person: string | null;
  readonly remoteAddr: string | null;
  /** Whether messages of the channel reach this person. Absent: whoever knows the address has got it from there. */
  isReader?(channel: Channel): boolean;
}

const TEST_TEXT = (siteName: string) => `It works: this phone reaches ${siteName}. Nothing was changed.`;
const SWITCHED_OFF = 'The buttons of this integration were switched off. Nothing was changed.';

/** Looks at a button and changes nothing. Null if the link is not right, or the check or the integration is gone. */
export async function lookAtButton(
  deps: Deps,
  ref: ButtonRef,
  siteName: string,
): Promise<ShownButton | null> {
  const kind = buttonKind(deps.vault, ref, deps.clock.now());
  if (kind === null || !isButtonVerb(ref.verb)) return null;
  if (kind === 'test') return { kind: 'told', text: TEST_TEXT(siteName) };
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
    projectName: oneLine(project.name) || 'unnamed project',
    uniqueKey: check.uniqueKey,
    cause: causeText(check, flip, deps.clock.now()),
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
  if (kind === 'test') return { text: TEST_TEXT(siteName), done: null, uniqueKey: null };
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
    const { uniqueKey } = found.check;
    if (!isAllowed(deps, channel, verb)) return { text: SWITCHED_OFF, done: null, uniqueKey };
    const { person, remoteAddr } = presser;
    const by: ActedBy = {
      accountId: null,
      name: nameOf(deps, channel, presser),
      means: 'link',
      remoteAddr,
    };
    return { ...(await VERBS[verb](deps, tx, found, { by, called: person ?? by.name })), uniqueKey };
  });
}

/** The check, the integration and the change that a message is about. */
interface Subject {
  readonly check: Check;
  readonly channel: Channel;
  readonly project: { readonly name: string };
  readonly flip: Flip;
}

/** Who has pressed it: for the log, and for those who read the same messages. */
interface Named {
  readonly by: ActedBy;
  readonly called: string;
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

function isAllowed({ vault }: Pick<Deps, 'vault'>, channel: Channel, verb: ButtonVerb): boolean {
  return verbsOf(buttonChoice(channel, vault)).includes(verb);
}

/** The address of a mail; or the person whom a provider names, in that chat; or else what shows such messages. */
function nameOf(deps: Pick<Deps, 'vault'>, channel: Channel, { person }: Presser): string {
  const called = oneLine(calledName(channel, deps.vault));
  const label = labelOf(channel.kind);
  if (person !== null) return `${oneLine(person)} in ${called} (${label})`;
  const address = channel.kind === 'email' ? recipientIn(deps, channel)?.address : undefined;
  if (address !== undefined) return address;
  return `a phone with ${called.startsWith(label) ? called : `${label} ${called}`}`;
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
  return act?.actor ?? null;
}

/** An act is logged in its transaction. */
const LOGGED_WITHIN = seconds(5);
const MAX_ACTS = 100;

/** `No ping for 26 h, expected every day at 03:00.` */
function causeText(check: Check, { reason, createdAt }: Flip, now: Instant): string {
  if (reason === 'fail') return `It reported a failure ${spanText(now - createdAt)} ago.`;
  const words = scheduleWords(check);
  const expected = `expected ${words.charAt(0).toLowerCase()}${words.slice(1)}`;
  if (check.lastPingAt === null) return `No ping yet, ${expected}.`;
  return `No ping for ${spanText(now - check.lastPingAt)}, ${expected}.`;
}

/** Nobody knows the zone of the reader: it is that of the schedule, and is named. */
function timeText({ clock }: Pick<Deps, 'clock'>, check: Check, at: Instant): string {
  const timeZone = scheduleZone(check) ?? 'UTC';
  return `${clockText(at, clock.now(), { ...DEFAULT_DATE_STYLE, timeZone })} ${zoneCity(timeZone)}`;
}
