import type { OwnedRow } from '../../domain/change.ts';
import type {
  AssignedChannel,
  Channel,
  LastAttempt,
  NewChannel,
  StoredSettings,
  SwitchedOff,
} from '../../domain/channel.ts';

export interface ChannelReads {
  /** The project's channels in order of creation. */
  ofProject(projectId: number): Promise<Channel[]>;
  byId(id: number): Promise<Channel | null>;
  byUuid(uuid: string): Promise<Channel | null>;
  /** Channels of all projects in the order of their ids behind that one, at most so many. */
  page(afterId: number, most: number): Promise<Channel[]>;
}

export interface ChannelWrites extends ChannelReads {
  /** Which channels are assigned to each of the checks. None of them is deleted until the transaction ends. */
  holdAssigned(checkIds: readonly number[]): Promise<Map<number, AssignedChannel[]>>;
  /** The channel, held until the transaction ends. */
  lock(id: number): Promise<Channel | null>;
  insert(channel: NewChannel): Promise<Channel>;
  /** Saves name, settings, verification, and whether it is off. */
  update(channel: Channel): Promise<void>;
  /** Saves the settings alone, for a channel that was locked. */
  setSettings(channel: OwnedRow, settings: StoredSettings): Promise<void>;
  /** A channel that is off already keeps its reason. */
  switchOff(channel: OwnedRow, off: SwitchedOff): Promise<void>;
  /** Remembers how the last try went. */
  noteAttempt(channel: OwnedRow, attempt: LastAttempt): Promise<void>;
  /** Remembers what came back about a message after the provider took it. */
  noteLateError(channel: OwnedRow, error: string): Promise<void>;
  /** Removes the channel with its assignments and deliveries. */
  delete(channel: OwnedRow): Promise<void>;
}
