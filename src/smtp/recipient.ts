import { pingKeyFault } from '../domain/people/api-key.ts';
import type { PingTarget } from '../domain/ping/incoming-ping.ts';
import { pingKeyDigest } from '../services/project/projects.ts';

/** Ignores case, because mail systems change it. Accepts only UUIDs of version 4, which checks have. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
const KEY_AND_SLUG = /^([^+]+)\+([a-z0-9-_]+)$/;

/** The check that an address stands for, by its form alone. Does not look up whether the check exists. */
export function parseRecipient(address: string, domain: string): PingTarget | 'other_domain' | 'no_mailbox' {
  const at = address.lastIndexOf('@');
  if (at === -1 || address.slice(at + 1).toLowerCase() !== domain.toLowerCase()) return 'other_domain';
  const mailbox = address.slice(0, at);
  if (UUID.test(mailbox)) return { uuid: mailbox.toLowerCase() };
  const [, key, slug] = KEY_AND_SLUG.exec(mailbox) ?? [];
  if (key === undefined || slug === undefined || pingKeyFault(key) !== null) return 'no_mailbox';
  return { pingKeyDigest: pingKeyDigest(key), slug, create: false };
}
