import type { Channel, ToldEvent } from '../domain/alert/channel.ts';
import { type Check, newCheck } from '../domain/check/check.ts';
import type { FlipReason } from '../domain/check/flip.ts';
import { DEFAULT_CONFIG } from '../domain/check/settings.ts';
import type { ToldStory } from '../domain/history/alert-story.ts';
import type { Project } from '../domain/people/project.ts';
import type { AlertEvent, Direction } from '../integrations/kind/alert-event.ts';
import { type Instant, seconds } from '../lib/instant.ts';
import type { OpenedMessage } from '../services/alert/channel-messages.ts';
import type { AlertMessage } from '../services/alert/deliveries.ts';
import { checkJson } from '../wire/api/check-output.ts';
import type { NoticeWords } from '../wire/notice/notice-words.ts';
import { togetherFilter } from '../wire/notice/together-words.ts';
import { checkAddress, type MessageSite, projectAddress, type Site } from '../wire/site.ts';

export type NamedSite = Site & MessageSite;

/** The content of a message, and its identity. */
type Told = Pick<AlertMessage, 'check' | 'project' | 'downFor' | 'ping'> & {
  readonly delivery: Pick<AlertMessage['delivery'], 'uuid' | 'status'>;
  readonly flip: Pick<AlertMessage['flip'], 'createdAt' | 'reason'>;
  readonly repeat?: AlertMessage['repeat'];
};

/** Further content of a message. It is read only for messages that need it. */
export interface Content {
  readonly body: Uint8Array | null;
  readonly told: ToldStory | null;
  /** The channels of the check, which are a part of its document. */
  readonly channelUuids: readonly string[];
}

/** The content of the message at the time of this attempt. */
export function eventOf(
  { delivery, check, project, flip, downFor, ping, repeat = null }: Told,
  { body, told, channelUuids }: Content,
  now: Instant,
  site: NamedSite,
  { statusUrl, buttons }: Pick<AlertEvent, 'statusUrl' | 'buttons'>,
): AlertEvent {
  const isFurther = repeat?.kind === 'further_failure';
  return {
    ...frameOf({ check, channelUuids }, project, now, site),
    ...(repeat !== null && { repeat: { kind: repeat.kind, since: flip.createdAt } }),
    statusUrl,
    buttons,
    story: told?.story ?? null,
    others: told?.others ?? null,
    answers: told?.answers ?? null,
    deliveryId: delivery.uuid,
    isTest: false,
    at: isFurther ? repeat.at : flip.createdAt,
    to: delivery.status,
    reason: isFurther ? 'fail' : flip.reason,
    downFor,
    ping,
    body,
  };
}

/**
 * The content of a message that tells of no single change of status. Kinds show it as they show words of the channel's owner.
 * Only one about several checks that are down is an alarm.
 */
export function eventOfNotice(
  { row, project, check }: OpenedMessage,
  { title, text, word, isFine }: NoticeWords,
  now: Instant,
  site: NamedSite,
): AlertEvent {
  const list = projectAddress(site.root, project.uuid);
  const filter = row.subject.kind === 'together' ? `?${togetherFilter(row.subject.parameters)}` : '';
  const link = check === null ? list + filter : checkAddress(site.root, check.uniqueKey);
  const identity = { uuid: row.uuid, badgeKey: row.uuid, projectId: project.id, createdAt: row.createdAt };
  const about = check ?? { ...newCheck({ ...DEFAULT_CONFIG, name: project.name }, identity), id: 0 };
  const frame = frameOf({ check: about, channelUuids: [] }, project, now, site);
  return {
    ...frame,
    // Providers put messages of one key in the place of each other, and end what has the key. This one is of no outage.
    check: { ...frame.check, uniqueKey: row.uuid.replaceAll('-', '') },
    deliveryId: row.uuid,
    isTest: false,
    buttons: [],
    ...{ statusUrl: null, story: null, others: null, answers: null, downFor: null, ping: null, body: null },
    at: row.createdAt,
    to: row.subject.kind === 'together' && !isFine ? 'down' : 'up',
    reason: '',
    ownWords: { title, text },
    notice: { word, isFine, link },
  };
}

/** The content of a test message: an invented check, of this channel, has just missed its deadline, or has come up. */
export function testEvent(
  told: ToldEvent,
  { channel, project }: { readonly channel: Channel; readonly project: Project },
  uuid: () => string,
  now: Instant,
  site: NamedSite,
): Omit<AlertEvent, 'buttons'> {
  const to = told === 'up' ? 'up' : 'down';
  const check = testCheck(to, project, uuid, now);
  return {
    ...frameOf({ check, channelUuids: [channel.uuid] }, project, now, site),
    deliveryId: uuid(),
    isTest: true,
    askedFor: project.ownerId,
    statusUrl: null,
    story: null,
    others: null,
    answers: null,
    at: now,
    to,
    reason: reasonOf(told),
    downFor: null,
    ping: null,
    body: null,
  };
}

/** Why the check changed its status. */
export function reasonOf(told: ToldEvent): FlipReason {
  if (told === 'up') return '';
  return told === 'down_fail' ? 'fail' : 'timeout';
}

/** The number of pings equals the reference's. A check that comes up has just received a ping. */
function testCheck(to: Direction, project: Project, uuid: () => string, now: Instant): Check {
  const identity = { uuid: uuid(), badgeKey: uuid(), projectId: project.id, createdAt: now };
  return {
    ...newCheck({ ...DEFAULT_CONFIG, name: 'TEST' }, identity),
    id: 0,
    status: to,
    pingCount: 42,
    lastPingAt: to === 'down' ? now - seconds(86_400) : now,
  };
}

/** The part that does not depend on the change. */
function frameOf(
  { check, channelUuids }: { readonly check: Check } & Pick<Content, 'channelUuids'>,
  project: Project,
  now: Instant,
  site: NamedSite,
): Pick<AlertEvent, 'now' | 'check' | 'projectName' | 'site'> {
  const json = checkJson(check, channelUuids, { seesAddresses: true, version: 3, now, site });
  return {
    now,
    check: {
      uuid: check.uuid,
      uniqueKey: check.uniqueKey,
      name: check.name,
      slug: check.slug,
      tags: check.tags,
      description: check.description,
      cadence:
        check.kind === 'simple'
          ? { kind: 'simple', timeoutSeconds: check.timeoutSeconds }
          : { kind: check.kind, schedule: check.schedule, tz: check.tz },
      createdAt: check.createdAt,
      json: JSON.stringify(json),
    },
    projectName: project.name,
    site: { name: site.name, root: site.root },
  };
}
