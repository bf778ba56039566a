import type { Channel } from '../../domain/alert/channel.ts';
import type { Check } from '../../domain/check/check.ts';
import type { DeclarationMode } from '../../domain/check/job-declaration.ts';
import type { QuietTime } from '../../domain/check/quiet-time.ts';
import type { Account, MailPreferences } from '../../domain/people/account.ts';
import type { AccountToken } from '../../domain/people/account-token.ts';
import type { ApiKey, Member, Project } from '../../domain/people/project.ts';
import type { Dialects, PingAlias, PingDialect } from '../../domain/ping/dialect.ts';
import type { StoredCalendar } from '../../domain/policy/stored-calendar.ts';
import type { StoredPolicy, TagRule } from '../../domain/policy/stored-policy.ts';
import type { StatusPage } from '../../domain/public/status-page.ts';
import type { Wall } from '../../domain/public/wall.ts';
import { settingsOf } from '../../integrations/registry.ts';
import { Fault } from '../../lib/fields.ts';
import { groupsOf } from '../../lib/groups.ts';
import type { DeclaredKind, ListedView, Writes } from '../../storage/store.ts';
import type { Deps } from '../core/deps.ts';

/** Accounts, projects and checks read at once. */
const AT_ONCE = 500;

const DECLARED_IN_PROJECTS: readonly DeclaredKind[] = [
  'check',
  'channel',
  'status_page',
  'wall',
  'view',
  'policy',
  'calendar',
  'quiet_time',
];

/** All that files can declare, as it is. Secrets that can be read are in plain text. */
export interface Installation {
  /** The sources that declare entries, sorted. */
  readonly sources: readonly string[];
  readonly accounts: readonly KnownAccount[];
  readonly projects: readonly ProjectContents[];
}

export interface KnownAccount {
  readonly account: Account;
  readonly preferences: MailPreferences | null;
  readonly tokens: readonly AccountToken[];
}

export interface ProjectContents {
  readonly project: Project;
  readonly owner: string;
  readonly members: readonly Member[];
  readonly pingKey: string | null;
  readonly jobDeclarations: DeclarationMode;
  readonly dialects: Dialects;
  readonly aliases: readonly PlainAlias[];
  readonly apiKeys: readonly ApiKey[];
  readonly channels: readonly {
    readonly channel: Channel /** Null if they cannot be read. */;
    readonly settings: Readonly<Record<string, unknown>> | null;
  }[];
  readonly checks: readonly {
    readonly check: Check;
    readonly channelUuids: readonly string[];
    readonly aliases: readonly PlainAlias[];
  }[];
  readonly statusPages: readonly StatusPage[];
  readonly walls: readonly Wall[];
  readonly views: readonly ListedView[];
  readonly calendars: readonly StoredCalendar[];
  readonly policies: readonly StoredPolicy[];
  readonly tagPolicies: readonly TagRule[];
  /** Those that run or will come. */
  readonly quietTimes: readonly QuietTime[];
}

interface PlainAlias {
  readonly dialect: PingDialect;
  readonly token: string;
}

/** Reads the installation, or the projects of one name with the people in them. */
export async function readInstallation(deps: Deps, only: string | null): Promise<Installation> {
  const { store } = deps;
  const all = (await allPages((after) => store.projects.page(after, AT_ONCE))).filter(
    ({ name, deletesAt }) => deletesAt === null && (only === null || name === only),
  );
  const projects: ProjectContents[] = [];
  const sources = new Set<string>();
  for (const project of all)
    await store.transaction(async (tx) => {
      const own = await tx.declarations.entriesOf('project', project.ownerId);
      const within = await Promise.all(
        DECLARED_IN_PROJECTS.map((kind) => tx.declarations.entriesOf(kind, project.id)),
      );
      for (const { source } of [...own.filter(({ id }) => id === project.id), ...within.flat()])
        sources.add(source);
      projects.push(await readProject(deps, tx, project));
    });
  const named = new Set(
    projects.flatMap(({ owner, members }) => [owner, ...members.map(({ email }) => email)]),
  );
  const accounts: KnownAccount[] = [];
  for (const account of await allPages((after) => store.accounts.page(after, AT_ONCE))) {
    if (only !== null && !named.has(account.email)) continue;
    if (only === null)
      for (const { source } of await store.transaction((tx) =>
        tx.declarations.entriesOf('account_token', account.id),
      ))
        sources.add(source);
    accounts.push({
      account,
      preferences: await store.mailPreferences.ofAccount(account.id),
      tokens: only === null ? await store.accountTokens.ofAccount(account.id) : [],
    });
  }
  return { sources: [...sources].toSorted(), accounts, projects };
}

async function allPages<T extends { readonly id: number }>(
  page: (after: number) => Promise<readonly T[]>,
): Promise<T[]> {
  const all: T[] = [];
  for (;;) {
    const some = await page(all.at(-1)?.id ?? 0);
    if (some.length === 0) return all;
    all.push(...some);
  }
}

async function readProject({ vault, clock }: Deps, tx: Writes, project: Project): Promise<ProjectContents> {
  const { id } = project;
  const plain = (aliases: readonly PingAlias[]): PlainAlias[] =>
    aliases.flatMap(({ dialect, tokenSealed }) => {
      const token = vault.unseal(tokenSealed);
      return token === null ? [] : [{ dialect, token }];
    });
  const assigned = await tx.checks.channelsOfProject(id);
  const aliases = Map.groupBy(await tx.pingAliases.ofChecksIn(id), ({ checkId }) => checkId);
  const checks: ProjectContents['checks'][number][] = [];
  const ids = (await tx.checks.namesOfProject(id)).map((one) => one.id);
  for (const some of groupsOf(ids, AT_ONCE))
    for (const check of await tx.checks.byIds(some))
      checks.push({
        check,
        channelUuids: assigned.get(check.id) ?? [],
        aliases: plain(aliases.get(check.id) ?? []),
      });
  return {
    project,
    owner: (await tx.accounts.ownerOf(id))?.email ?? '',
    members: await tx.projects.membersOf(id),
    pingKey: project.pingKeySealed && vault.unseal(project.pingKeySealed),
    jobDeclarations: await tx.projects.declarationMode(id),
    dialects: await tx.pingAliases.dialectsOf(id),
    aliases: plain(await tx.pingAliases.ofProject(id)),
    apiKeys: await tx.apiKeys.ofProject(id),
    channels: (await tx.channels.ofProject(id)).map((channel) => {
      const settings = settingsOf(channel, vault);
      return { channel, settings: settings instanceof Fault ? null : settings };
    }),
    checks,
    statusPages: await tx.statusPages.ofProject(id, clock.now()),
    walls: await tx.walls.ofProject(id),
    views: await tx.savedViews.ofProject(id),
    calendars: await tx.calendars.ofProject(id),
    policies: await tx.policies.ofProject(id),
    tagPolicies: await tx.policies.tagsOf(id),
    quietTimes: await tx.quietTimes.inForce(id, clock.now()),
  };
}
