import { BUTTON_SNOOZE_SECONDS, isManyVerb, type ManyVerb } from '../../domain/alert/button.ts';
import type { Channel } from '../../domain/alert/channel.ts';
import type { ChannelMessage } from '../../domain/alert/channel-message.ts';
import type { Check } from '../../domain/check/check.ts';
import type { Project } from '../../domain/people/project.ts';
import { type Instant, seconds } from '../../lib/instant.ts';
import { count } from '../../lib/text/durations.ts';
import type { Reads, ToldOutage, Writes } from '../../storage/store.ts';
import { namedChecks } from '../../wire/notice/together-words.ts';
import type { Deps } from '../core/deps.ts';
import { ofAccount, valueRead } from '../core/reads.ts';
import { acknowledgeManyByLink, snoozeManyByLink } from './answers.ts';
import type { ButtonRef } from './buttons.ts';
import {
  type ButtonPage,
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

// A button of a message about several checks acts on those of the outages it told of which are not over, and on nothing else.

/** Checks that one transaction answers for: pings wait for their locks. */
const MAX_AT_ONCE = 200;

const OVER = 'None of these checks is down any more. Nothing was changed.';

/** Looks at such a button, whose signature is right. */
export async function lookAtMany(deps: Deps, { deliveryUuid, verb }: ButtonRef): Promise<ShownButton | null> {
  const found = await subjectOf(deps.store, deliveryUuid);
  if (found === null || !isManyVerb(verb)) return null;
  const { channel, project } = found;
  if (!isAllowed(deps, channel, verb)) return { kind: 'told', text: SWITCHED_OFF };
  const open = await outagesIn(deps, found);
  if (open.length === 0) return { kind: 'told', text: OVER };
  return {
    kind: 'ready',
    verb,
    name: count(open.length, 'check'),
    projectName: projectNameOf(project),
    cause: namedChecks(open),
    isMany: true,
    page: pageOf(found),
  };
}

/**
 * Presses it. Hundreds of checks are answered for in several transactions. Each of these reads the setting of the integration
 * anew. A second press finishes what a first one has left.
 */
export async function pressMany(
  deps: Deps,
  { deliveryUuid, verb }: ButtonRef,
  presser: Presser,
): Promise<PressedButton | null> {
  const found = await subjectOf(deps.store, deliveryUuid);
  if (found === null || !isManyVerb(verb) || presser.isReader?.(found.channel) === false) return null;
  const page = pageOf(found);
  if (!isAllowed(deps, found.channel, verb)) return { text: SWITCHED_OFF, done: null, page };
  const named = namedIn(deps, found.channel, presser);
  const open = await outagesIn(deps, found);
  const answered: Answered = { taken: 0, already: 0, until: null };
  for (let at = 0; at < open.length; at += MAX_AT_ONCE) {
    const isDone = await answerSome(deps, found, verb, open.slice(at, at + MAX_AT_ONCE), named, answered);
    if (!isDone) return { text: SWITCHED_OFF, done: null, page };
  }
  return { ...toldOf(verb, answered, named), page };
}

/** What has become of it so far. */
interface Answered {
  taken: number;
  already: number;
  /** Of a snooze: when the first one ends, in words. Null if none began. */
  until: { readonly at: Instant; readonly text: string } | null;
}

/** Adds to `answered`. Returns false, and does nothing, if the integration does not allow it any more. */
async function answerSome(
  deps: Deps,
  { channel, project }: Subject,
  verb: ManyVerb,
  outages: readonly ToldOutage[],
  { by }: Named,
  answered: Answered,
): Promise<boolean> {
  return deps.store.transaction(async (tx) => {
    const now = await allowed(deps, tx, channel, verb);
    if (!now) return false;
    // Projects are locked before checks.
    await tx.projects.usePolicies(project.id);
    const checks = await lockOwn(tx, outages, project);
    const flipIds = new Set(outages.map(({ flipId }) => flipId));
    // Somebody may have edited the integration while this waited for the locks.
    if (!(await allowed(deps, tx, channel, verb))) return false;
    if (verb === 'acknowledge') {
      const { taken, already } = await acknowledgeManyByLink(deps, tx, checks, flipIds, by);
      answered.taken += taken;
      answered.already += already;
      return true;
    }
    const ends = await snoozeManyByLink(deps, tx, checks, flipIds, seconds(BUTTON_SNOOZE_SECONDS), by);
    answered.taken += ends.length;
    const at = Math.min(...ends, answered.until?.at ?? Number.POSITIVE_INFINITY);
    const [zoned] = checks;
    if (zoned !== undefined && Number.isFinite(at)) answered.until = { at, text: timeText(deps, zoned, at) };
    return true;
  });
}

async function allowed(deps: Deps, tx: Writes, { id }: Channel, verb: ManyVerb): Promise<boolean> {
  const channel = await tx.channels.byId(id);
  return channel !== null && isAllowed(deps, channel, verb);
}

/** The checks that are still of the project, held in the order of their ids. */
async function lockOwn(tx: Writes, outages: readonly ToldOutage[], project: Project): Promise<Check[]> {
  const held = await tx.checks.lockByIds(outages.map(({ checkId }) => checkId));
  const checks = await tx.checks.byIds([...held]);
  return checks.filter(({ projectId }) => projectId === project.id);
}

async function outagesIn(
  { reads }: Pick<Deps, 'reads'>,
  { message, project }: Subject,
): Promise<readonly ToldOutage[]> {
  return (await reads.ask(outagesTold, { ownerId: project.ownerId, messageId: message.id })).head;
}

/** There may be thousands. */
export const outagesTold = valueRead(
  ofAccount,
  ({ store }: Pick<Deps, 'store'>, { messageId }: AskedOutages): Promise<readonly ToldOutage[]> =>
    store.deliveries.openOutagesIn(messageId),
);

interface AskedOutages {
  readonly ownerId: number | null;
  readonly messageId: number;
}

/** The message, and who got it. */
interface Subject {
  readonly message: ChannelMessage;
  readonly channel: Channel;
  readonly project: Project;
}

async function subjectOf(
  reads: Pick<Reads, 'channelMessages' | 'channels' | 'projects'>,
  uuid: string,
): Promise<Subject | null> {
  const message = await reads.channelMessages.byUuid(uuid);
  const channel = message && (await reads.channels.byId(message.channelId));
  const project = channel && (await reads.projects.byId(channel.projectId));
  if (message === null || channel === null || project === null || project.deletesAt !== null) return null;
  return { message, channel, project };
}

function pageOf({ message: { subject }, project }: Subject): ButtonPage {
  const tag =
    subject.kind === 'together' && subject.parameters.group === 'tag' ? subject.parameters.tag : null;
  return { of: 'project', projectUuid: project.uuid, tag };
}

function toldOf(verb: ManyVerb, { taken, already, until }: Answered, { by, called }: Named): Told {
  if (taken + already === 0) return { text: OVER, done: null };
  if (verb === 'snooze')
    return { text: `${count(taken, 'check')} snoozed until ${until?.text}.`, done: null };
  if (taken === 0)
    return {
      text: `${already === 1 ? 'It was' : 'All of them were'} acknowledged before.`,
      done: '✓ Acknowledged',
    };
  const before = already === 0 ? '' : ` ${already} ${already === 1 ? 'was' : 'were'} acknowledged before.`;
  return {
    text: `${count(taken, 'check')} acknowledged by ${by.name}.${before}`,
    done: `✓ Acknowledged by ${called}`,
  };
}
