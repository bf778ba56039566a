import type { BadgeCounts } from '../domain/badge.ts';
import type { PiecewiseAnswer } from '../lib/answering-threads.ts';
import type { CheckFilter } from '../storage/store.ts';
import type { Actor } from './actor.ts';
import type { SignedTag } from './badges.ts';

/** What takes too long for the thread that answers pings. It is plain data, since it travels between threads. */
export type ReadQuestion =
  | {
      readonly kind: 'check_list';
      readonly actor: Actor;
      readonly filter: CheckFilter;
      readonly view: { readonly seesAddresses: boolean; readonly version: 1 | 2 | 3 };
    }
  | { readonly kind: 'badge_list'; readonly actor: Actor }
  | { readonly kind: 'tag_badge'; readonly tag: SignedTag }
  | { readonly kind: 'project_metrics'; readonly actor: Actor };

/** What is told of an answer besides its text. */
export interface ReadHeads {
  readonly check_list: null;
  readonly badge_list: null;
  /** Null when there is no such badge. The text is empty. */
  readonly tag_badge: BadgeCounts | null;
  readonly project_metrics: null;
}

export type QuestionOf<Kind extends ReadQuestion['kind']> = Extract<ReadQuestion, { readonly kind: Kind }>;

/** Answers questions away from the thread that asks. Throws `overloaded` when too many wait. */
export interface Reads extends AsyncDisposable {
  ask<Kind extends ReadQuestion['kind']>(
    question: QuestionOf<Kind>,
  ): Promise<PiecewiseAnswer<ReadHeads[Kind]>>;
}

/** Whose turn it is: projects take turns, and so do public badges. */
export function ownerOf(question: ReadQuestion): string {
  return 'actor' in question ? `project ${question.actor.projectId}` : `badge ${question.tag.badgeKey}`;
}
