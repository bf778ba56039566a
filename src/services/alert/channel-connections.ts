import { setImmediate } from 'node:timers/promises';
import { type Channel, CONNECTION_SPAN } from '../../domain/alert/channel.ts';
import { AppError } from '../../domain/errors.ts';
import type { Session } from '../../domain/people/session.ts';
import { TEXT_LIMITS } from '../../domain/text-limits.ts';
import {
  type AskProvider,
  type ChannelKind,
  type Connectable,
  connectionOf,
  type InstanceOffer,
  isChannelKind,
  kindOfConnection,
  labelOf,
} from '../../integrations/registry.ts';
import { firstCharacters } from '../../lib/text/excerpt.ts';
import { type Actor, requirePermission } from '../core/actor.ts';
import type { AccountActor } from '../people/account-actor.ts';
import type { AccountDeps } from '../people/deps.ts';
import { enterProject } from '../people/own-projects.ts';
import { openSealed, sealTogether } from '../people/sealed.ts';
import { createChannelIn } from './channels.ts';

export interface ConnectionTools {
  readonly offer: InstanceOffer;
  /** The address of the site. */
  readonly root: string;
  readonly http: AskProvider;
}

/** The person who connects, in the browser in which they are signed in. */
export interface ConnectingPerson {
  readonly actor: AccountActor;
  readonly session: Begun;
}

/** The session in which a visit began. Behind a proxy all people have the same id, so that the account counts as well. */
type Begun = Pick<Session, 'id' | 'accountId'>;

/** The result of a visit to the provider. */
export type Connected = { readonly kind: ChannelKind } & (
  | { readonly project: string; readonly channels: readonly Channel[] }
  /** The person chooses one of these destinations. */
  | { readonly choices: readonly Choice[] }
  /** The destination is known, and the person chooses one of these projects. */
  | { readonly destination: string; readonly choices: readonly Choice[] }
  /** The person goes back to the provider, to this page. */
  | { readonly address: string }
);

export interface Choice extends Pick<Connectable, 'name' | 'group'> {
  /** Becomes a channel if it is chosen. */
  readonly sealed: string;
}

export const MAX_CHOICES = 1_000;
const SEALED_PER_TURN = 20;
const VISIT = 'visit to a provider';
const CHOICE = 'choice at a provider';

/** A visit to a provider. Only this service can read it, though the browser carries it. */
interface Visit {
  readonly project: string;
  readonly kind: ChannelKind;
  readonly sessionId: number;
  readonly accountId: number;
  readonly kept: string | null;
}

/** Returns the page of the provider to which the person goes. */
export async function beginConnection(
  deps: AccountDeps,
  actor: Actor,
  { id: sessionId, accountId }: Begun,
  kind: string,
  tools: ConnectionTools,
): Promise<string> {
  requirePermission(actor, 'channels.edit');
  const connection = isChannelKind(kind) ? connectionOf(kind, tools.offer) : null;
  const project = await deps.store.projects.byId(actor.projectId);
  if (connection === null || project === null || !isChannelKind(kind)) throw new AppError('not_found');
  const visit: Visit = { project: project.uuid, kind, sessionId, accountId, kept: null };
  const back = { address: backAddress(tools, connection.path), state: stateOf(deps, visit) };
  return connection.address(back, tools.offer.server);
}

/** Makes channels from the provider's `answer` that the person brings back. */
export async function finishConnection(
  deps: AccountDeps,
  person: ConnectingPerson,
  path: string,
  answer: URLSearchParams,
  tools: ConnectionTools,
): Promise<Connected> {
  const isRefusal = answer.get('error') === 'access_denied';
  // Some providers hand nothing back with a refusal.
  if (isRefusal && !answer.has('state')) throw cancelled(kindOfConnection(path));
  const visit = await takeVisit(deps, person, path, answer.get('state') ?? '');
  const { project, kind } = visit;
  const actor = await enterForEditing(deps, person, project);
  const connection = connectionOf(kind, tools.offer);
  if (connection === null) throw new AppError('not_found');
  if (isRefusal) throw cancelled(kind);
  const result = await connection.finish(answer, {
    http: tools.http,
    server: tools.offer.server,
    backAddress: backAddress(tools, path),
    kept: visit.kept,
  });
  switch (result.kind) {
    case 'cancelled':
      throw cancelled(kind);
    case 'failed':
      throw new AppError('connection_failed', result.error ?? unexpected(kind));
    case 'unfinished':
      return { kind, address: result.address(stateOf(deps, { ...visit, kept: result.kept })) };
    case 'found': {
      const { connectables, becomeAllChannels = connectables.length === 1 } = result;
      if (connectables.length === 0) throw new AppError('connection_failed', unexpected(kind));
      if (becomeAllChannels)
        return { project, kind, channels: await addAll(deps, actor, kind, connectables, tools) };
      return { kind, choices: await sealAll(deps, visit, connectables) };
    }
    default:
      return result satisfies never;
  }
}

/** There may be thousands of repositories. Other requests have their turn between some of them. */
async function sealAll(
  deps: AccountDeps,
  visit: Visit,
  connectables: readonly Connectable[],
): Promise<Choice[]> {
  const choices: Choice[] = [];
  for (const one of connectables.slice(0, MAX_CHOICES)) {
    if (choices.length % SEALED_PER_TURN === 0) await setImmediate();
    choices.push({ name: one.name, group: one.group, sealed: sealChoice(deps, visit, one) });
  }
  return choices;
}

/** Seals what becomes a channel if the person chooses it. */
export function sealChoice(
  deps: Pick<AccountDeps, 'vault' | 'clock'>,
  { project, kind, sessionId, accountId }: Omit<Visit, 'kept'>,
  { name, settings }: Pick<Connectable, 'name' | 'settings'>,
): string {
  return sealTogether(deps, CHOICE, { project, kind, sessionId, accountId, name, settings });
}

/** Makes a channel from the person's choice. */
export async function chooseConnectable(
  deps: AccountDeps,
  person: ConnectingPerson,
  sealed: string,
  tools: Pick<ConnectionTools, 'offer'>,
): Promise<Connected> {
  const values = openSealed(deps, CHOICE, sealed, CONNECTION_SPAN);
  const visit = visitIn(values);
  if (values === null || visit === null || !isOf(visit, person)) throw expired();
  const { project, kind } = visit;
  const actor = await enterForEditing(deps, person, project);
  const settings = typeof values.settings === 'object' ? { ...values.settings } : {};
  const chosen = { name: String(values.name), group: '', settings };
  return { project, kind, channels: await addAll(deps, actor, kind, [chosen], tools) };
}

/** The visit to which the state belongs. It can be finished once, in the session in which it began. */
async function takeVisit(
  deps: AccountDeps,
  person: ConnectingPerson,
  path: string,
  state: string,
): Promise<Visit> {
  // Characters after a wrong digit would be ignored.
  const sealed = /^[0-9a-f]+$/i.test(state) ? Buffer.from(state, 'hex').toString() : '';
  const visit = visitIn(openSealed(deps, VISIT, sealed, CONNECTION_SPAN));
  if (visit === null || !isOf(visit, person) || visit.kind !== kindOfConnection(path)) throw expired();
  try {
    await deps.attempts.take([{ rule: 'usesPerConnection', subject: sealed }]);
  } catch (error) {
    throw error instanceof AppError && error.code === 'too_many_attempts' ? expired() : error;
  }
  return visit;
}

function isOf({ sessionId, accountId }: Visit, { session }: ConnectingPerson): boolean {
  return sessionId === session.id && accountId === session.accountId;
}

function visitIn(values: Readonly<Record<string, unknown>> | null): Visit | null {
  const { project, kind, sessionId, accountId, kept = null } = values ?? {};
  if (typeof kind !== 'string' || !isChannelKind(kind)) return null;
  return {
    project: String(project),
    kind,
    sessionId: Number(sessionId),
    accountId: Number(accountId),
    kept: kept === null ? null : String(kept),
  };
}

/** The state is in hexadecimal digits: some providers change the case of letters. */
function stateOf(deps: AccountDeps, visit: Visit): string {
  return Buffer.from(sealTogether(deps, VISIT, { ...visit })).toString('hex');
}

async function enterForEditing(
  deps: AccountDeps,
  { actor }: ConnectingPerson,
  project: string,
): Promise<Actor> {
  const entered = await enterProject(deps, actor, project);
  requirePermission(entered, 'channels.edit');
  return entered;
}

function addAll(
  deps: AccountDeps,
  actor: Actor,
  kind: ChannelKind,
  connectables: readonly Connectable[],
  { offer }: Pick<ConnectionTools, 'offer'>,
): Promise<Channel[]> {
  return deps.store.transaction(async (tx) => {
    const channels: Channel[] = [];
    for (const { name, settings } of connectables) {
      const short = firstCharacters(name, TEXT_LIMITS.channelName);
      channels.push(
        await createChannelIn(deps, tx, actor, {
          ...{ kind, name: short, settings, checks: 'all', offer },
          isConnected: true,
        }),
      );
    }
    return channels;
  });
}

function backAddress({ root }: Pick<ConnectionTools, 'root'>, path: string): string {
  return `${root}/integrations/${path}/`;
}

function expired(): AppError {
  return new AppError('connection_expired');
}

function cancelled(kind: ChannelKind | null): AppError {
  if (kind === null) return new AppError('not_found');
  return new AppError('connection_cancelled', `${labelOf(kind)} setup was cancelled.`);
}

function unexpected(kind: ChannelKind): string {
  return `Received an unexpected response from ${labelOf(kind)}. Integration not added.`;
}
