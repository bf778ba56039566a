import type { Link, LinkPurpose, NewLink } from '../../domain/people/link.ts';
import type { Instant } from '../../lib/instant.ts';

export interface LinkReads {
  /** The link, unless it has expired. */
  find(digest: string, purpose: LinkPurpose, now: Instant): Promise<Link | null>;
}

export interface LinkWrites extends LinkReads {
  insert(link: NewLink): Promise<void>;
  /** Removes the link and returns it, unless it has expired. Of several that take it at once, one gets it. */
  take(digest: string, purpose: LinkPurpose, now: Instant): Promise<Link | null>;
  /** Removes all links for this purpose. */
  removeAll(purpose: LinkPurpose): Promise<void>;
  /** Removes the links of the account, or only those for this purpose. */
  removeOfAccount(accountId: number, purpose?: LinkPurpose): Promise<void>;
  /** Removes the links for this purpose that prove the address. */
  removeOfEmail(email: string, purpose: LinkPurpose): Promise<void>;
  /** Removes links that have expired, at most `most`. Returns their number. */
  prune(now: Instant, most: number): Promise<number>;
}
