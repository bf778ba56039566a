import { type Account, PLACEHOLDER_EMAIL } from '../../domain/people/account.ts';
import type { Project } from '../../domain/people/project.ts';
import type { AccountUsage, ProjectUsage } from '../../storage/store.ts';
import type { Deps } from '../deps.ts';
import type { Search } from '../reads.ts';
import { type AccountActor, requireOnAccount } from './account-actor.ts';

/** Accounts or projects of a page. */
export const MAX_PAGE_ENTRIES = 50;
/** Entries that are looked at for a page. A search that few fit gives a short page, and the place to go on from. */
export const MAX_EXAMINED_ENTRIES = 2_000;
/** Entries that are read at once. */
const CHUNK = 500;

type DirectoryDeps = Pick<Deps, 'store'>;

/** A page, and the last entry that was looked at. Null at the end. */
export interface Found<Entry> {
  readonly entries: readonly Entry[];
  readonly next: number | null;
}

export interface AccountEntry {
  readonly account: Account;
  readonly usage: AccountUsage;
}

export interface ProjectEntry {
  readonly project: Project;
  readonly usage: ProjectUsage;
}

/** Accounts whose address or name has the text in it. A whole address is found at once. */
export async function searchAccounts(
  { store }: DirectoryDeps,
  actor: AccountActor,
  { text, afterId }: Search,
): Promise<Found<AccountEntry>> {
  requireOnAccount(actor, 'instance.view');
  const exact = await store.accounts.byEmail(text);
  const { entries, next } =
    exact === null
      ? await searchIn(
          (after, most) => store.accounts.page(after, most),
          afterId,
          (one) => fits(text, one.email, one.name),
        )
      : { entries: [exact], next: null };
  const people = entries.filter(({ email }) => email !== PLACEHOLDER_EMAIL);
  const usages = await store.accounts.usageOf(people.map(({ id }) => id));
  return { entries: joined(people, usages, (account, usage) => ({ account, usage })), next };
}

/** Projects whose name has the text in it. A whole UUID, and the address of an owner, are found at once. */
export async function searchProjects(
  { store }: DirectoryDeps,
  actor: AccountActor,
  { text, afterId }: Search,
): Promise<Found<ProjectEntry>> {
  requireOnAccount(actor, 'instance.view');
  const exact = await projectsExactly(store, text);
  const { entries, next } = await searchIn(
    async (after, most) =>
      exact === null ? store.projects.page(after, most) : exact.filter(({ id }) => id > after).slice(0, most),
    afterId,
    (one) => exact !== null || fits(text, one.name),
  );
  const usages = await store.projects.usageOf(entries.map(({ id }) => id));
  return { entries: joined(entries, usages, (project, usage) => ({ project, usage })), next };
}

/** The project with this UUID, or those of the owner with this address. Null if the text is neither. */
async function projectsExactly(
  { projects, accounts }: Deps['store'],
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

async function searchIn<Entry extends { readonly id: number }>(
  page: (afterId: number, most: number) => Promise<Entry[]>,
  afterId: number,
  isWanted: (entry: Entry) => boolean,
): Promise<Found<Entry>> {
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

/** What was deleted meanwhile is left out. */
function joined<Entry extends { readonly id: number }, Usage extends { readonly id: number }, Both>(
  entries: readonly Entry[],
  usages: readonly Usage[],
  join: (entry: Entry, usage: Usage) => Both,
): Both[] {
  const byId = new Map(usages.map((usage) => [usage.id, usage]));
  return entries.flatMap((entry) => {
    const usage = byId.get(entry.id);
    return usage === undefined ? [] : [join(entry, usage)];
  });
}
