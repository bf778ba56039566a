/** Lists of everything on the installation, for administrators. */
import { PLACEHOLDER_EMAIL } from '../domain/people/account.ts';
import type { Project } from '../domain/people/project.ts';
import { Fault, type Field, integer } from '../lib/fields.ts';
import { toIsoSeconds } from '../lib/instant.ts';
import { optional } from '../wire/dashboard/input.ts';
import { MAX_EXAMINED_ENTRIES, MAX_PAGE_ENTRIES } from './limits.ts';
import { personView, type ViewDeps } from './view.ts';

/** Entries that are read at once. */
const CHUNK = 500;
const MAX_SEARCH = 254;

const searchField: Field<string> = {
  read(value, name) {
    const given = typeof value === 'string' ? value.trim().toLowerCase() : null;
    const isShort = given !== null && given.length <= MAX_SEARCH && !/\p{Cc}/u.test(given);
    return isShort ? given : new Fault(`${name} is not a short line of text`);
  },
  schema: {},
};

/** Empty for everything. */
const SEARCH = {
  search: optional(searchField),
  /** The last entry of the page before. */
  cursor: optional(integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
};

/** Accounts whose address or name has the text in it. A whole address is found at once. */
export const accountDirectory = personView({
  permission: 'instance.view',
  input: SEARCH,
  read: async ({ store: { accounts } }, { input: { search = '', cursor = 0 } }) => {
    const exact = await accounts.byEmail(search);
    const { entries, next } =
      exact === null
        ? await searchIn(
            (after, most) => accounts.page(after, most),
            cursor,
            (one) => fits(search, one.email, one.name),
          )
        : { entries: [exact], next: null };
    const people = entries.filter(({ email }) => email !== PLACEHOLDER_EMAIL);
    const usages = byId(await accounts.usageOf(people.map(({ id }) => id)));
    return {
      accounts: people.flatMap(({ id, uuid, email, name, isAdmin, isActive, createdAt, limits }) => {
        const usage = usages.get(id);
        // It was deleted meanwhile.
        if (usage === undefined) return [];
        return {
          ...{ uuid, email, name, isAdmin, isActive },
          created: toIsoSeconds(createdAt),
          limits: { checks: limits.checks, pings: limits.pings },
          checks: usage.checks,
          projects: usage.projects,
          lastSeen: toIsoSeconds(usage.lastSeenAt),
          hasSecondFactor: usage.hasSecondFactor,
        };
      }),
      /** For the next page. Null at the end. */
      cursor: next,
    };
  },
});

/** Projects whose name has the text in it. A whole UUID, and the address of an owner, are found at once. */
export const projectDirectory = personView({
  permission: 'instance.view',
  input: SEARCH,
  read: async ({ store }, { input: { search = '', cursor = 0 } }) => {
    const exact = await projectsExactly(store, search);
    const { entries, next } = await searchIn(
      async (after, most) =>
        exact === null
          ? store.projects.page(after, most)
          : exact.filter(({ id }) => id > after).slice(0, most),
      cursor,
      (one) => exact !== null || fits(search, one.name),
    );
    const usages = byId(await store.projects.usageOf(entries.map(({ id }) => id)));
    return {
      projects: entries.flatMap(({ id, uuid, name, createdAt }) => {
        const usage = usages.get(id);
        if (usage === undefined) return [];
        const { ownerEmail: owner, checks, channels, members } = usage;
        return { uuid, name, owner, created: toIsoSeconds(createdAt), checks, channels, members };
      }),
      cursor: next,
    };
  },
});

/** The project with this UUID, or the projects of the owner with this address. Null if the text is neither. */
async function projectsExactly(
  { projects, accounts }: ViewDeps['store'],
  text: string,
): Promise<Project[] | null> {
  const project = UUID.test(text) ? await projects.byUuid(text) : null;
  if (project !== null) return [project];
  const owner = text.includes('@') ? await accounts.byEmail(text) : null;
  if (owner === null) return null;
  return (await projects.accessibleTo(owner.id)).filter(({ ownerId }) => ownerId === owner.id);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function fits(text: string, ...fields: readonly string[]): boolean {
  return fields.some((field) => field.toLowerCase().includes(text));
}

/** A page, and the last entry that was looked at. Null at the end. */
async function searchIn<Entry extends { readonly id: number }>(
  page: (afterId: number, most: number) => Promise<Entry[]>,
  afterId: number,
  isWanted: (entry: Entry) => boolean,
): Promise<{ readonly entries: readonly Entry[]; readonly next: number | null }> {
  const entries: Entry[] = [];
  let place = afterId;
  for (let examined = 0; examined < MAX_EXAMINED_ENTRIES; examined += CHUNK) {
    const read = await page(place, CHUNK);
    for (const entry of read) {
      place = entry.id;
      if (isWanted(entry)) entries.push(entry);
      if (entries.length === MAX_PAGE_ENTRIES) return { entries, next: place };
    }
    if (read.length < CHUNK) return { entries, next: null };
  }
  return { entries, next: place };
}

function byId<Usage extends { readonly id: number }>(usages: readonly Usage[]): Map<number, Usage> {
  return new Map(usages.map((usage) => [usage.id, usage]));
}
