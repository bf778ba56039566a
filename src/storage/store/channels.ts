import type {
  AssignedChannel,
  Channel,
  LastAttempt,
  NewChannel,
  StoredSettings,
  SwitchedOff,
} from '../../domain/alert/channel.ts';
import type { OwnedRow } from '../../domain/change.ts';
import type { Instant } from '../../lib/instant.ts';

/** A check to which a channel can be assigned. */
export interface AssignableCheck {
  readonly uuid: string;
  readonly name: string;
  readonly tags: string;
  readonly isAssigned: boolean;
}

/** The ids of the checks that have changed. */
export interface AssignmentChange {
  readonly added: readonly number[];
  readonly removed: readonly number[];
}

export interface ChannelCounts {
  readonly total: number;
  /** On, confirmed, and the last attempt failed. */
  readonly failing: number;
}

/** A code by which a recipient confirms that messages are wanted. */
export interface KeptCode {
  readonly digest: string;
  readonly expiresAt: Instant;
}

export interface ChannelReads {
  /** The project's channels in order of creation. */
  ofProject(projectId: number): Promise<Channel[]>;
  byId(id: number): Promise<Channel | null>;
  byUuid(uuid: string): Promise<Channel | null>;
  /** The UUIDs of the channels with these ids. */
  uuidsOf(ids: readonly number[]): Promise<{ id: number; uuid: string }[]>;
  /** How many checks each channel of the project is assigned to. Channels without any are left out. */
  assignedCounts(projectId: number): Promise<Map<number, number>>;
  /** All checks of the channel's project in order of creation, and whether the channel is assigned to each. */
  assignableChecks(channel: OwnedRow): Promise<AssignableCheck[]>;
  /** How many channels the project has, and how many of them do not work. */
  health(projectId: number): Promise<ChannelCounts>;
  /**
   * Channels that fail since `failingUntil` or longer, while another one of their project has delivered, and whose
   * owners were not told of it. The longest first, at most `most`.
   */
  leftBehind(failingUntil: Instant, most: number): Promise<Channel[]>;
  /** The last code that its recipient was sent. Null if there was none, or it was used. */
  keptCode(id: number): Promise<KeptCode | null>;
  /** Channels of all projects after that id, in the order of their ids, at most `most`. */
  page(afterId: number, most: number): Promise<Channel[]>;
}

export interface ChannelWrites extends ChannelReads {
  /** The channels assigned to each of the checks. None of them can be deleted until the transaction ends. */
  holdAssigned(checkIds: readonly number[]): Promise<Map<number, AssignedChannel[]>>;
  /** The channel, held until the transaction ends. */
  lock(id: number): Promise<Channel | null>;
  insert(channel: NewChannel): Promise<Channel>;
  /** Saves name, settings, verification, and whether it is off. */
  update(channel: Channel): Promise<void>;
  /**
   * Assigns the channel to these checks of its project, and to no others. Returns null and changes nothing if one of them
   * is no check of the project.
   */
  assign(channel: OwnedRow, checks: readonly string[] | 'all'): Promise<AssignmentChange | null>;
  /** Saves the settings alone, for a channel that was locked. */
  setSettings(channel: OwnedRow, settings: StoredSettings): Promise<void>;
  /** Switches the channel off. A channel that is already off keeps its reason. */
  switchOff(channel: OwnedRow, off: SwitchedOff): Promise<void>;
  /** Keeps the code in the place of an earlier one. */
  keepCode(channel: OwnedRow, code: KeptCode): Promise<void>;
  dropCode(channel: OwnedRow): Promise<void>;
  /** Saves how the last attempt went, and since when attempts fail. */
  noteAttempt(channel: OwnedRow, attempt: LastAttempt): Promise<void>;
  /** Nothing is sent to the channel until then. A longer pause stays. */
  pause(channel: OwnedRow, until: Instant): Promise<void>;
  endPause(channel: OwnedRow): Promise<void>;
  /** Saves an error that was reported after the provider had accepted a message. */
  noteLateError(channel: OwnedRow, error: string): Promise<void>;
  /** Notes that the owner is told that it fails. False if that was noted before. */
  noteFailingTold(channel: OwnedRow, now: Instant): Promise<boolean>;
  /** Removes the channel with its assignments and deliveries. */
  delete(channel: OwnedRow): Promise<void>;
  /** Removes channels of a project that has no checks any more, at most `most`. Returns their number. */
  deleteOfProject(projectId: number, most: number): Promise<number>;
}
