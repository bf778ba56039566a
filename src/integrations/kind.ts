import type { Outcome } from '../domain/delivery.ts';
import type { EnvSettingTable, EnvValues } from '../lib/env-setting.ts';
import type { Fault } from '../lib/fields.ts';
import type { HttpResponse, HttpResult } from '../lib/http-client.ts';
import type { AlertEvent, Direction } from './alert-event.ts';
import type { SettingTable, Source, ValuesOf } from './setting.ts';

/** A request that tells of an event. */
export interface OutboundRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
}

/** A request of several. */
export interface Call extends OutboundRequest {
  /** The message counts as delivered even if this one fails. */
  readonly isOptional?: boolean;
}

/** What a provider answered: status, headers and the first 64 kB of the body. */
export type Reply = HttpResponse;

export interface OutboundMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly attachments: readonly {
    readonly filename: string;
    readonly contentType: string;
    readonly content: Uint8Array;
  }[];
}

/** What a conversation may use of the world. */
export interface Ports {
  http(request: OutboundRequest): Promise<HttpResult>;
  mail(mail: OutboundMail): Promise<Outcome>;
  /** Where a recipient can unsubscribe by one click. */
  unsubscribeUrl(): string;
}

/** How many messages a destination gets in a while; more of them wait. */
export interface RateLimit {
  /** Channels with the same key share the limit. */
  readonly key: string;
  readonly messages: number;
  readonly perSeconds: number;
}

interface KindBase<Table extends SettingTable, Server extends EnvSettingTable> {
  /** What people call it. */
  readonly label: string;
  /** What each channel of the kind has to say. */
  readonly settings: Table;
  /** What the operator of the server has to say, in the environment. */
  readonly server: Server;
  /** What is wrong with settings that are right one by one. */
  faultOf?(settings: ValuesOf<Table>): Fault | null;
  /** The same for what nobody may set any more, but some have: it goes on working until it is changed. */
  faultOfNew?(settings: ValuesOf<Table>): Fault | null;
  /** Converts settings that an older version has stored. */
  upgrade?(stored: Source): Source;
  /** The address of somebody who has to confirm that messages are wanted. */
  recipient?(settings: ValuesOf<Table>): string;
  /** Whether this channel is told of changes in that direction. */
  wants(settings: ValuesOf<Table>, to: Direction): boolean;
  /** What all messages that go the same way have in common, such as a host. */
  destination(settings: ValuesOf<Table>, to: Direction): string;
  limit?(settings: ValuesOf<Table>): RateLimit;
  /** Whether messages quote the body of the last ping. */
  readonly needsBody: boolean;
}

/** A kind that tells of an event by requests, one after the other. */
export interface RequestKind<Table extends SettingTable, Server extends EnvSettingTable>
  extends KindBase<Table, Server> {
  /** An outcome where nothing can be sent. */
  render(event: AlertEvent, settings: ValuesOf<Table>, server: EnvValues<Server>): readonly Call[] | Outcome;
  classify(reply: Reply): Outcome;
}

/** A kind that holds a conversation of its own. */
export interface ConversationKind<Table extends SettingTable, Server extends EnvSettingTable>
  extends KindBase<Table, Server> {
  deliver(
    event: AlertEvent,
    settings: ValuesOf<Table>,
    ports: Ports,
    server: EnvValues<Server>,
  ): Promise<Outcome>;
}

/** The code for one kind of channel. */
export type Kind<
  Table extends SettingTable = SettingTable,
  Server extends EnvSettingTable = EnvSettingTable,
> = RequestKind<Table, Server> | ConversationKind<Table, Server>;

/** States the types of a kind once: they follow from its tables. */
export function requestKind<Table extends SettingTable, Server extends EnvSettingTable>(
  kind: RequestKind<Table, Server>,
): RequestKind<Table, Server> {
  return kind;
}

export function conversationKind<Table extends SettingTable, Server extends EnvSettingTable>(
  kind: ConversationKind<Table, Server>,
): ConversationKind<Table, Server> {
  return kind;
}
