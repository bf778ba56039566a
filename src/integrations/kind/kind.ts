import type { ToldEvent } from '../../domain/alert/channel.ts';
import type { Outcome } from '../../domain/alert/delivery.ts';
import type { Quota, QuotaRefusal } from '../../domain/alert/message-quota.ts';
import type { EnvSettingTable, EnvValues } from '../../lib/env-setting.ts';
import type { Fault } from '../../lib/fields.ts';
import type { HttpResponse, HttpResult } from '../../lib/http-client.ts';
import type { ShellCommand, ShellResult } from '../../lib/shell-thread.ts';
import type { Line, SocketResult, SocketTarget } from '../../lib/socket-client.ts';
import type { Connection } from '../connect/connection.ts';
import type { AlertEvent, Direction } from './alert-event.ts';
import type { ButtonDisplay } from './button-display.ts';
import type { CodeMessage } from './confirmation.ts';
import type { Limits } from './limits.ts';
import type { OutboundRequest } from './outbound-request.ts';
import type { SettingTable, Source, ValuesOf } from './setting.ts';

export type { OutboundRequest };

/** One of several requests. */
export interface Call extends OutboundRequest {
  /** The message counts as delivered even if this request fails. */
  readonly isOptional?: boolean;
}

/** The answer of a provider: status, headers and the first 64 kB of the body. */
export type Reply = HttpResponse;

export interface OutboundMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The id of the mail that this one answers, so that both are shown together. Null if there is none. */
  readonly answers: string | null;
  readonly attachments: readonly {
    readonly filename: string;
    readonly contentType: string;
    readonly content: Uint8Array;
  }[];
}

/** Writes the mail that reports the event to the address. */
export type WriteMail = (event: AlertEvent, to: string, unsubscribeUrl: string) => Promise<OutboundMail>;

/** The outside services that a conversation may use. */
export interface Ports {
  http(request: OutboundRequest): Promise<HttpResult>;
  mail(mail: OutboundMail): Promise<Outcome>;
  /** Writes the mail that reports the event. It quotes the body of a ping, so it may take long. */
  writeMail: WriteMail;
  /** The address at which a recipient can unsubscribe with one click. */
  unsubscribeUrl(): string;
  /** Runs a command. It belongs to an operator who trusts the people of the projects. */
  shell(command: ShellCommand): Promise<ShellResult>;
  /** Talks by another protocol than HTTP. */
  converse<T>(target: ConversationTarget, talk: (line: Line) => Promise<T>): Promise<SocketResult<T>>;
  /** Bytes that nobody can guess. */
  randomBytes(count: number): Uint8Array;
  /** The header by which a push service of that origin knows this instance. */
  pushAuthorization(origin: string): Promise<string>;
  /** Tells administrators that Signal wants a captcha, and the owner of the project about the undelivered message. */
  askForCaptcha(challenge: string, message: UndeliveredMessage): Promise<void>;
  /**
   * Counts a message that costs the operator money. If the account or the whole service has used up its share of this
   * month, it returns which. People who can see the project are told then.
   */
  takeQuota(quota: Quota, message: UndeliveredMessage): Promise<QuotaRefusal | null>;
  /** Takes back the count of a message that was not sent. */
  returnQuota(quota: Quota): Promise<void>;
}

/** The other end of a conversation. */
export type ConversationTarget = SocketTarget & {
  /** For connecting and talking together. */
  readonly timeoutMs: number;
  /** Whether the operator has chosen the address. Then it may be private. */
  readonly isOperators: boolean;
};

/** A message that cannot be sent, for people who are told of it. */
export interface UndeliveredMessage {
  readonly recipient: string;
  readonly text: string;
}

/** The largest number of messages to a destination within a time. Further messages wait. */
export interface RateLimit {
  /** Channels with the same key share the limit. */
  readonly key: string;
  readonly messages: number;
  readonly perSeconds: number;
}

/** The groups in which people look for a kind, in their order. */
export const CATEGORIES = ['chat', 'on_call', 'phone', 'work', 'automation'] as const;

export type Category = (typeof CATEGORIES)[number];

/** Settings as they are kept, and a name for a channel that was given none. */
export interface Prepared<Table extends SettingTable = SettingTable> {
  readonly settings: ValuesOf<Table>;
  readonly name: string;
}

/** The name of a setting, or several names; one of them is enough. */
export type Requirement<Name extends string = string> = Name | readonly Name[];

/** The recipient's confirmation that messages are wanted, before the first one. */
export type Confirmation<Table extends SettingTable, Server extends EnvSettingTable> =
  /** By a link in a mail. */
  | { readonly by: 'link'; recipient(settings: ValuesOf<Table>): string }
  /** By a code that the recipient tells the person who sets up the channel. */
  | {
      readonly by: 'code';
      recipient(settings: ValuesOf<Table>): string;
      sendCode(
        message: CodeMessage,
        settings: ValuesOf<Table>,
        ports: Ports,
        server: EnvValues<Server>,
      ): Promise<Outcome>;
    };

interface KindBase<Table extends SettingTable, Server extends EnvSettingTable> {
  /** The name that people see. */
  readonly label: string;
  readonly category: Category;
  /** A few words below the name. */
  readonly summary: string;
  /** A sentence for the person who sets one up. */
  readonly description: string;
  /**
   * The steps to set one up. Each step is a sentence or two. It may hold `code`, **bold** and
   * [links](https://example.org/) in Markdown.
   */
  readonly setup: readonly string[];
  /** Settings that are valid, for the documentation. */
  readonly example: Source;
  /** The settings of each channel of the kind. */
  readonly settings: Table;
  /** The settings of the operator, in the environment. */
  readonly server: Server;
  /**
   * The settings of the operator without which nothing can be sent, in the order in which they are asked for. One of a
   * nested list is enough.
   */
  readonly requires?: readonly Requirement<keyof Server & string>[];
  /** Sets it up at the provider, instead of by typing its settings. */
  readonly connection?: Connection<Server>;
  /** Instructions to let this service into the destination, in a sentence or two. */
  invitation?(server: EnvValues<Server>): string;
  /** Whether its settings are commands that this machine runs. Only people write them, neither keys nor tokens. */
  readonly runsCommands?: boolean;
  /** Whether it needs the operator's mail server. */
  readonly sendsMail?: boolean;
  /** The fault of a combination of settings that are valid one by one. */
  faultOf?(settings: ValuesOf<Table>): Fault | null;
  /**
   * The fault of settings that are not accepted any more. Channels that already have them continue to work until they
   * are changed.
   */
  faultOfNew?(settings: ValuesOf<Table>): Fault | null;
  /** Adds settings that follow from the given ones. */
  complete?(given: Source): Source;
  /**
   * Done once when a person saves the settings, such as joining a room. The fault begins with the name of a setting.
   * Settings from a file are not prepared, so a message must be able to do without.
   */
  prepare?(
    settings: ValuesOf<Table>,
    http: Ports['http'],
    server: EnvValues<Server>,
  ): Promise<Prepared<Table> | Fault>;
  /** The destination in words. It contains no secret, and may be empty. */
  target(settings: ValuesOf<Table>): string;
  /** The recipient's confirmation that messages are wanted. Absent: nobody has to confirm. */
  readonly confirmation?: Confirmation<Table, Server>;
  /** Whether these settings can tell of a change in that direction. Which events are wanted is another question. */
  wants(settings: ValuesOf<Table>, to: Direction): boolean;
  /** The events that a form for a new one suggests. Absent: all. */
  readonly suggestedEvents?: readonly ToldEvent[];
  /** The name of what messages on the same way share, such as a host. */
  destination(settings: ValuesOf<Table>, to: Direction): string;
  limit?(settings: ValuesOf<Table>): RateLimit;
  /**
   * For kinds that open something at the provider, such as an incident: the settings with which an up message closes
   * the incident of a test. Null if a test with these settings opens nothing.
   */
  endsTest?(settings: ValuesOf<Table>): ValuesOf<Table> | null;
  /**
   * Whether it opens something at the provider that an up message closes. Kinds with `endsTest` do, as far as that says,
   * and need not say so here.
   */
  readonly isStateful?: boolean;
  /** The provider's limits for a text, and for a whole message. Longer ones are shortened (`text/fitted.ts`). */
  readonly limits: Limits;
  /**
   * The body with which the provider accepts a request, under the status 200. Absent: an empty one. Previews and tests
   * answer with it, so that a conversation goes on to its end.
   */
  acceptedWith?(request: OutboundRequest): string;
  /** For other protocols: the peer's answer, each time that something was written to it. */
  acceptedByPeer?(written: Uint8Array): Uint8Array;
  /** The monthly limit that its messages count for, since they cost the operator money. */
  readonly quota?: Quota;
  /**
   * Whether the owner of a channel may write a title and a text of their own, with placeholders. Messages then take both
   * from the facts (`ownTitle`, `ownText`).
   */
  readonly takesOwnWords?: boolean;
  /** Whether its settings are templates with placeholders. */
  readonly fillsTemplates?: boolean;
  /** How its messages show buttons. Absent: only where the owner of a channel writes their addresses. */
  readonly buttons?: ButtonDisplay;
  /** Whether messages quote the body of the last ping. */
  readonly needsBody: boolean;
  /** Whether messages tell the whole story of the change: its runs, its output, other checks that are down. */
  readonly needsStory?: boolean;
  /** Whether messages with these settings contain the check as the API shows it. Absent: only the owner's words may. */
  needsDocument?(settings: ValuesOf<Table>): boolean;
}

/** A kind that reports an event by requests, one after the other. */
export interface RequestKind<Table extends SettingTable, Server extends EnvSettingTable>
  extends KindBase<Table, Server> {
  /** Returns an outcome instead of requests if nothing can be sent. */
  render(event: AlertEvent, settings: ValuesOf<Table>, server: EnvValues<Server>): readonly Call[] | Outcome;
  classify(reply: Reply): Outcome;
}

/** A kind with a conversation of its own. */
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

/** Declares a kind. Its types follow from its tables. */
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
