import {
  addChannel,
  addCheck,
  apiKeyRecord,
  assignChannels,
  givenProject,
  unique,
} from '../../../test/records.ts';
import type { Store } from '../store.ts';

/** 2026-01-02T03:04:05.678901Z */
export const MICROSECOND = 1_767_323_045_678_901;
export const LARGEST = Number.MAX_SAFE_INTEGER;
export const AWKWARD_TEXTS = [
  '',
  ' ',
  `it's "quoted" \\ with $1, ?1, :name and -- a comment; %_`,
  'Grüße, 日本語, עברית',
  '👩‍👩‍👧‍👦🏳️‍🌈',
  'line\r\nline\ttab\u0001\u007f',
  'e\u0301 is not \u00e9',
  'x'.repeat(100_000),
];

export type Furnished = Awaited<ReturnType<typeof furnishedProject>>;

/** A project with one of each: a key, a channel, and a check that the channel is assigned to. */
export async function furnishedProject(store: Store) {
  const { account, project } = await givenProject(store, { project: { pingKeyDigest: unique() } });
  const key = await store.transaction((tx) => tx.apiKeys.insert(apiKeyRecord(project.id)));
  const channel = await addChannel(store, project);
  const check = await addCheck(store, project);
  await assignChannels(store, check, [channel]);
  return { account, project, key, channel, check };
}

/** Rows of SQLite have no prototype, which strict comparison minds and nobody else does. */
export function plain<T extends object>(row: T | null): T | null {
  return row === null ? null : { ...row };
}
