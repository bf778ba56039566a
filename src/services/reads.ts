import type { BadgeCounts } from '../domain/badge.ts';
import type { PiecewiseAnswer } from '../lib/answering-threads.ts';
import type { CheckFilter } from '../storage/store.ts';
import type { Actor } from './actor.ts';
import type { SignedTag } from './badges.ts';
import type { CheckRef } from './checks.ts';

/**
 * A question that takes too long for the thread that answers pings. It is plain data, because it is sent to another
 * thread.
 */
export type ReadQuestion =
  | {
      readonly kind: 'check_list';
      readonly actor: Actor;
      readonly filter: CheckFilter;
      readonly view: { readonly seesAddresses: boolean; readonly version: 1 | 2 | 3 };
      /** The `If-None-Match` header of the request. */
      readonly knownTags: string | undefined;
    }
  | { readonly kind: 'badge_list'; readonly actor: Actor }
  | { readonly kind: 'tag_badge'; readonly tag: SignedTag }
  | { readonly kind: 'project_metrics'; readonly actor: Actor }
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
      /** As sent. It is examined when the check is found: a missing check is reported before a wrong span. */
      readonly query: string;
      readonly form: 'array' | 'object';
    }
  | { readonly kind: 'delivery_list'; readonly actor: Actor; readonly check: CheckRef }
  | { readonly kind: 'channel_list'; readonly actor: Actor };

/** What an answer holds besides its text. */
export interface ReadHeads {
  readonly check_list: ListHead;
  readonly badge_list: null;
  /** Null when there is no such badge. The text of this answer is empty. */
  readonly tag_badge: BadgeCounts | null;
  readonly project_metrics: null;
  readonly ping_list: null;
  readonly flip_list: null;
  readonly delivery_list: null;
  readonly channel_list: null;
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

/** Answers questions in another thread. Throws `overloaded` when too many wait. */
export interface Reads extends AsyncDisposable {
  ask<Kind extends ReadQuestion['kind']>(
    question: QuestionOf<Kind>,
  ): Promise<PiecewiseAnswer<ReadHeads[Kind]>>;
}

/** Owners take turns. An owner is a project, or the badge key of a public badge. */
export function ownerOf(question: ReadQuestion): string {
  return 'actor' in question ? `project ${question.actor.projectId}` : `badge ${question.tag.badgeKey}`;
}
