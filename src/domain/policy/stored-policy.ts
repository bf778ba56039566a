import type { Instant } from '../../lib/instant.ts';

/** A policy of a project, by its name. */
export interface StoredPolicy {
  readonly id: number;
  readonly uuid: string;
  readonly projectId: number;
  readonly name: string;
  /** JSON, as `parsePolicy` reads it. */
  readonly rules: string;
  /** Whether it counts for all checks of the project that no tag gives another. */
  readonly isDefault: boolean;
  readonly createdAt: Instant;
}

export type NewPolicy = Omit<StoredPolicy, 'id'>;

/** The policy of checks with a tag, by its name. */
export interface TagPolicy {
  readonly tag: string;
  readonly policy: string;
}

/** What is set for checks with a tag. */
export interface TagRule {
  readonly tag: string;
  /** The name of its policy. Empty: none of its own. */
  readonly policy: string;
  /** Whether its checks are told of together. */
  readonly asOne: boolean;
}

export const MAX_POLICIES = 100;
export const MAX_TAG_POLICIES = 100;
