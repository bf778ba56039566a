import type { Channel } from '../../domain/alert/channel.ts';
import type { QueuedMail } from '../../domain/alert/mail.ts';
import type { CheckRef } from '../../domain/check/check.ts';
import type { ToldChange, ToldStory } from '../../domain/history/alert-story.ts';
import type { EventFilter } from '../../domain/history/event-log.ts';
import type { ActFilter, LoggedAct } from '../../domain/people/audit.ts';
import type { AccountActor, Actor } from '../../domain/people/permission.ts';
import type { SessionLimits } from '../../domain/people/session.ts';
import type { MovedBody } from '../../domain/ping/ping-body.ts';
import type { SignedTag } from '../../domain/public/badge.ts';
import type { TagCounts } from '../../domain/public/kept-counts.ts';
import type { KeptText } from '../../domain/public/kept-text.ts';
import type { Backlog, Lateness, Progress } from '../../domain/vitals.ts';
import type { AlertEvent, OutboundMail } from '../../integrations/registry.ts';
import type { PiecewiseAnswer } from '../../lib/answering-threads.ts';
import type { Instant } from '../../lib/instant.ts';
import type { BlindAccount, CheckFilter, FlappingQuery, HeldBack } from '../../storage/store.ts';

/**
 * A question that takes too long for the thread that answers pings. It is plain data, because it is sent to another
 * thread.
 */
export type ReadQuestion =
  /** A view by its name, with the input of its page. */
  | {
      readonly kind: 'view';
      readonly name: string;
      readonly person: AccountActor;
      /** Absent for a view of a person. */
      readonly actor?: Actor;
      /** Absent except for a view of a check. */
      readonly checkId?: number;
      readonly input: Readonly<Record<string, unknown>>;
      /** Prepared for the view by the asking thread. */
      readonly prepared: unknown;
    }
  | {
      readonly kind: 'check_list';
      readonly actor: Actor;
      readonly filter: CheckFilter;
      readonly view: { readonly seesAddresses: boolean; readonly version: 1 | 2 | 3 };
      /** The `If-None-Match` header of the request. */
      readonly knownTags: string | undefined;
    }
  /** The view of a wall display of the project. */
  | { readonly kind: 'wall'; readonly actor: Actor; readonly project: string }
  | { readonly kind: 'badge_list'; readonly actor: Actor }
  | ({ readonly kind: 'tag_badge'; readonly tag: SignedTag } & OfProject)
  | { readonly kind: 'project_metrics'; readonly actor: Actor }
  | ({
      readonly kind: 'status_page';
      readonly slug: string;
      readonly form: 'html' | 'rss';
      /** The names of the files that the page loads. */
      readonly files: { readonly style: string; readonly script: string };
    } & OfProject)
  /** A page of the documentation. */
  | {
      readonly kind: 'docs';
      readonly asked: DocsAsked;
      readonly files: DocsFiles;
      /** The setting that the operator lacks for a kind of channel. Null if the instance offers it. */
      readonly missing: Readonly<Record<string, string | null>>;
    }
  | {
      readonly kind: 'ping_list';
      readonly actor: Actor;
      readonly check: CheckRef;
      /** The version of the API in the addresses of bodies. */
      readonly version: 1 | 2 | 3;
    }
  | {
      readonly kind: 'flip_list';
      readonly actor: Actor;
      readonly check: CheckRef;
      /** The query as sent. It is examined when the check is found: a missing check is reported before a wrong span. */
      readonly query: string;
      readonly form: 'array' | 'object';
    }
  | { readonly kind: 'delivery_list'; readonly actor: Actor; readonly check: CheckRef }
  | {
      readonly kind: 'event_export';
      readonly actor: Actor;
      readonly checkId: number;
      readonly filter: EventFilter;
      readonly format: 'csv' | 'jsonl';
    }
  /** The HTML of a mail that pinged. */
  | ({ readonly kind: 'ping_html' } & PingQuestion)
  | {
      readonly kind: 'channel_list';
      readonly actor: Actor;
      /** Whether it tells how each channel is, and not only which there are. */
      readonly isDetailed: boolean;
    }
  /** The last change of a check's settings. `subject` is its name in the audit log. */
  | { readonly kind: 'last_edit'; readonly actor: Actor; readonly subject: string }
  | ({ readonly kind: 'act_export' } & ActReader & {
        readonly filter: ActFilter;
        readonly format: 'csv' | 'jsonl';
      })
  | { readonly kind: 'progress' }
  | { readonly kind: 'backlog' }
  | { readonly kind: 'lateness'; readonly held: HeldBack }
  | { readonly kind: 'was_pinged'; readonly accountId: number; readonly since: Instant }
  | { readonly kind: 'flapping'; readonly query: FlappingQuery }
  | { readonly kind: 'failing_channels'; readonly failingUntil: Instant; readonly limit: number }
  | {
      readonly kind: 'blindness';
      readonly afterAccount: number;
      readonly limit: number;
      readonly until: Instant;
    }
  | { readonly kind: 'checks_ahead'; readonly afterId: number }
  | {
      readonly kind: 'alert_story';
      readonly change: ToldChange;
      /** The account for which somebody imagines the change. Null for an alert. */
      readonly ownerId: number | null;
    }
  | {
      readonly kind: 'alert_mail';
      readonly event: AlertEvent;
      readonly to: string;
      readonly unsubscribeUrl: string;
    }
  | { readonly kind: 'account_mail'; readonly mail: MailToWrite }
  /** Everything that is known of the person. */
  | { readonly kind: 'account_export'; readonly person: AccountActor; readonly sessionLimits: SessionLimits };

/** Which page of the documentation is wanted. */
export type DocsAsked =
  /** By its path below `/docs/`, which must exist. */
  | { readonly page: string }
  | { readonly search: string }
  /** The meaning of the schedule, and its runs. */
  | { readonly schedule: string; readonly tz: string }
  /** The page for an address that does not exist. */
  | { readonly nowhere: true };

/** Addresses of the files that the documentation loads. */
export interface DocsFiles {
  readonly style: string;
  readonly script: string;
  readonly themeScript: string | null;
}

/** Questions that anybody may ask about a project. */
interface OfProject {
  /** The account that owns the project. */
  readonly ownerId: number;
}

/** Which ping is wanted. `moved` is its body if that is in object storage, which reader threads cannot reach. */
interface PingQuestion {
  readonly actor: Actor;
  readonly checkId: number;
  readonly n: number;
  readonly moved: MovedBody;
}

/** The reader of an audit log: a member reads the project's, a person reads their own. */
export type ActReader = { readonly actor: Actor } | { readonly person: AccountActor };

/** Some of the checks that have dates in the future. */
export interface ChecksAhead {
  readonly uuids: readonly string[];
  /** The last check that was looked at. Null when no check is left to look at. */
  readonly lastId: number | null;
}

/** A mail that is read and written when it is sent. */
export type MailToWrite = Pick<QueuedMail, 'accountId' | 'address' | 'subject'>;

/** A mail to a person. */
export interface WrittenMail {
  readonly email: string;
  /** Null for somebody who has no account. */
  readonly accountUuid: string | null;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The data of an answer besides its text. */
export interface ReadHeads {
  readonly view: null;
  readonly check_list: ListHead;
  readonly wall: null;
  readonly badge_list: null;
  /** Null when there is no such badge. The text of this answer is empty. */
  readonly tag_badge: TagCounts | null;
  readonly project_metrics: KeptText;
  /** Whether there is such a page. */
  readonly status_page: boolean;
  readonly docs: null;
  readonly ping_list: null;
  readonly flip_list: null;
  readonly delivery_list: null;
  readonly event_export: null;
  readonly ping_html: null;
  readonly channel_list: null;
  /** Null if the log does not tell it any more. */
  readonly last_edit: Pick<LoggedAct, 'actor' | 'createdAt'> | null;
  readonly act_export: null;
  readonly progress: Progress;
  readonly backlog: Backlog;
  readonly lateness: Lateness;
  readonly was_pinged: boolean;
  readonly flapping: readonly { readonly checkId: number; readonly flips: number }[];
  readonly failing_channels: readonly Channel[];
  readonly blindness: readonly BlindAccount[];
  readonly checks_ahead: ChecksAhead;
  readonly alert_story: ToldStory;
  readonly alert_mail: OutboundMail;
  readonly account_mail: null;
  readonly account_export: null;
}

export interface ListHead {
  /** Differs whenever the list does. Null for a list that is too long to be compared before it is sent. */
  readonly tag: string | null;
  /** Whether the caller has this list already. Then the text of the answer is empty. */
  readonly isKnown: boolean;
  /** The length of the text. Null if it is not known before the list is sent. */
  readonly byteLength: number | null;
}

export type QuestionOf<Kind extends ReadQuestion['kind']> = Extract<ReadQuestion, { readonly kind: Kind }>;

/** Answers questions in another thread. Throws `overloaded` when too many wait, except to the program itself. */
export interface Reads extends AsyncDisposable {
  ask<Kind extends ReadQuestion['kind']>(
    question: QuestionOf<Kind>,
  ): Promise<PiecewiseAnswer<ReadHeads[Kind]>>;
}

/** Asks for its own work, such as alerts. It asks a few questions at once, and must not wait for readers. */
export const PROGRAM = 'program';
const OPERATOR = 'operator';
const DOCUMENTATION = 'documentation';

/**
 * Owners take turns, and each has a share of the queue. An owner is an account, all readers of the documentation, the
 * operator, or the program itself. A question about a project counts for the account that owns it, whether its people
 * ask, its keys, or visitors of its badges and status pages.
 */
export function ownerOf(question: ReadQuestion): string {
  if (question.kind === 'view')
    return shareOf(question.actor === undefined ? question.person.accountId : question.actor.ownerId);
  if ('actor' in question) return shareOf(question.actor.ownerId);
  if ('person' in question) return shareOf(question.person.accountId);
  switch (question.kind) {
    case 'tag_badge':
    case 'status_page':
    case 'alert_story':
      return shareOf(question.ownerId);
    case 'alert_mail':
      return shareOf(question.event.askedFor ?? null);
    case 'account_mail':
      return `account ${question.mail.accountId ?? question.mail.address}`;
    case 'docs':
      return DOCUMENTATION;
    case 'progress':
    case 'backlog':
      return OPERATOR;
    // Each of these is asked by a loop of the program. Nobody else may be urgent.
    case 'lateness':
    case 'was_pinged':
    case 'flapping':
    case 'failing_channels':
    case 'blindness':
    case 'checks_ahead':
      return PROGRAM;
    default:
      return question satisfies never;
  }
}

function shareOf(accountId: number | null): string {
  return accountId === null ? PROGRAM : `account ${accountId}`;
}
