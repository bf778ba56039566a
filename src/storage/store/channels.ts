import type { OwnedRow } from '../../domain/change.ts';
import type { Channel, NewChannel } from '../../domain/channel.ts';
import type { Attempt } from '../../domain/delivery.ts';

export interface ChannelReads {
  /** The project's channels in order of creation. */
  ofProject(projectId: number): Promise<Channel[]>;
  byId(id: number): Promise<Channel | null>;
  byUuid(uuid: string): Promise<Channel | null>;
  /** Which channels, other than disabled ones, are assigned to each of the checks. */
  idsOfChecks(checkIds: readonly number[]): Promise<Map<number, number[]>>;
}

export interface ChannelWrites extends ChannelReads {
  insert(channel: NewChannel): Promise<Channel>;
  /** Saves settings and verification. */
  update(channel: Channel): Promise<void>;
  /** Nothing is sent to it any more, until its owner says otherwise. */
  disable(channel: OwnedRow): Promise<void>;
  /** Remembers how the last try went; a permanent failure switches the channel off. */
  noteAttempt(channel: OwnedRow, attempt: Omit<Attempt, 'deliveryId' | 'n'>, disable: boolean): Promise<void>;
}
