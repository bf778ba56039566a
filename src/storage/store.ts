import type { Account, AccountLimits, NewAccount } from '../domain/account.ts';
import type { Channel, NewChannel } from '../domain/channel.ts';
import type { Check, CheckMatch, NewCheck } from '../domain/check.ts';
import type { ApiKey, NewApiKey, NewProject, Project } from '../domain/project.ts';

/**
 * The contract of storage, kept by both engines (`contract.test-suite.ts` holds them to it). What only
 * reads is on the store itself; what writes is reached through `transaction` alone.
 */
export interface Store extends Reads, AsyncDisposable {
  /** All of it or nothing. `work` may run again after a deadlock, so it has no other effects. */
  transaction<T>(work: (tx: Writes) => Promise<T>): Promise<T>;
  /** Resolves after a real query, throws when the database is gone. */
  probe(): Promise<void>;
}

export interface Reads {
  readonly accounts: AccountReads;
  readonly projects: ProjectReads;
  readonly apiKeys: ApiKeyReads;
  readonly channels: ChannelReads;
  readonly checks: CheckReads;
  readonly instance: InstanceReads;
}

export interface Writes extends Reads {
  readonly accounts: AccountWrites;
  readonly projects: ProjectWrites;
  readonly apiKeys: ApiKeyWrites;
  readonly channels: ChannelWrites;
  readonly checks: CheckWrites;
  readonly instance: InstanceWrites;
}

export interface AccountReads {
  /** The account with this (lower-case) address. */
  byEmail(email: string): Promise<Account | null>;
}

export interface AccountWrites extends AccountReads {
  insert(account: NewAccount): Promise<Account>;
  setPassword(id: number, passwordHash: string): Promise<void>;
  setLimits(id: number, limits: AccountLimits): Promise<void>;
  /** Counts one more check against the owner's limit; false, and nothing counted, when it is reached. */
  claimCheckSlot(id: number): Promise<boolean>;
}

export interface ProjectReads {
  byId(id: number): Promise<Project | null>;
  /** All projects of that name; names need not be unique. */
  byOwnerAndName(ownerId: number, name: string): Promise<Project[]>;
  /** The project that a ping key belongs to. */
  byPingKey(digest: string): Promise<Project | null>;
  count(): Promise<number>;
}

export interface ProjectWrites extends ProjectReads {
  insert(project: NewProject): Promise<Project>;
  setPingKey(id: number, digest: string, sealed: string): Promise<void>;
}

export interface ApiKeyReads {
  /** Keys that share the look-up characters, in whatever project; the caller compares digests. */
  byLookup(lookup: string): Promise<ApiKey[]>;
  ofProject(projectId: number): Promise<ApiKey[]>;
}

export interface ApiKeyWrites extends ApiKeyReads {
  insert(key: NewApiKey): Promise<ApiKey>;
  delete(projectId: number, id: number): Promise<void>;
}

export interface ChannelReads {
  /** The project's channels in order of creation. */
  ofProject(projectId: number): Promise<Channel[]>;
}

export interface ChannelWrites extends ChannelReads {
  insert(channel: NewChannel): Promise<Channel>;
  /** Saves settings and verification. */
  update(channel: Channel): Promise<void>;
}

export interface CheckReads {
  /** The project's checks in order of creation. */
  ofProject(projectId: number): Promise<Check[]>;
  /** Those of the project's checks that carry the slug, oldest first: a slug need not be unique. */
  bySlug(projectId: number, slug: string): Promise<Check[]>;
  /** The check with this UUID, in whatever project: the caller compares. */
  byUuid(uuid: string): Promise<Check | null>;
  /** UUIDs of the channels assigned to each of the project's checks, by check id, sorted. */
  channelsOfProject(projectId: number): Promise<Map<number, string[]>>;
  /** UUIDs of the channels assigned to one check, sorted. */
  channelsOf(checkId: number): Promise<string[]>;
  /** How many checks there are in the whole installation. */
  count(): Promise<number>;
}

export interface CheckWrites extends CheckReads {
  /** Holds the row until the transaction ends, so that a concurrent ping is not overwritten. */
  lock(id: number): Promise<Check | null>;
  /** The oldest check of the project that matches, held until the transaction ends. */
  lockMatching(projectId: number, match: CheckMatch): Promise<Check | null>;
  insert(check: NewCheck): Promise<Check>;
  /** Saves what an edit may change: the configuration and the deadline that follows from it. */
  saveConfig(check: Check): Promise<void>;
  /** Replaces the whole set of assigned channels. */
  setChannels(checkId: number, channelIds: readonly number[]): Promise<void>;
}

export interface InstanceReads {
  get(key: string): Promise<string | null>;
}

export interface InstanceWrites extends InstanceReads {
  /** Sets the value unless there is one; returns the one that holds now. */
  setOnce(key: string, value: string): Promise<string>;
}
