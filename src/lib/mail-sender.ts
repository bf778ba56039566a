import { domainToASCII } from 'node:url';
import { createTransport } from 'nodemailer';
import { encodeWords, looksEncoded } from './mime/encoded-words.ts';

export interface MailServer {
  readonly host: string;
  readonly port: number;
  readonly user: string | null;
  readonly password: string | null;
  /** Whether the connection must be upgraded to TLS before mail is sent (STARTTLS). */
  readonly requiresTls: boolean;
  /** Whether the connection is TLS from its first byte. */
  readonly isSecure: boolean;
  readonly from: string;
  /** Names of this machine, best first. The first full domain name among them is used in greetings. */
  readonly clientNames: readonly string[];
}

export interface Mail {
  /** Stays the same over all tries, so that mailboxes recognise repetitions. If absent, each try has a new one. */
  readonly id?: string;
  /** The id of a mail that was sent before, to which this one belongs. */
  readonly answers?: string | null;
  readonly to: string;
  /** The address to which undeliverable mail is returned. If null or absent, it is the sender's. */
  readonly returnTo?: string | null;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly attachments: readonly { filename: string; contentType: string; content: Uint8Array }[];
}

/** Sends mail through one server over a small pool of connections. */
export interface MailSender extends AsyncDisposable {
  /** Returns null if the server accepted the mail, else the reason. Never throws. */
  send(mail: Mail): Promise<string | null>;
}

export const TIMEOUT_MS = 30_000;
export const MAX_CONNECTIONS = 5;

export function createMailSender(server: MailServer): MailSender {
  const transport = createTransport({
    name: greetingName([...server.clientNames, domainOf(server.from)]),
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    host: server.host,
    port: server.port,
    secure: server.isSecure,
    requireTLS: server.requiresTls && !server.isSecure,
    ignoreTLS: !server.requiresTls && !server.isSecure,
    ...(server.user !== null && { auth: { user: server.user, pass: server.password ?? '' } }),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send({ id, answers = null, to, returnTo = null, subject, text, html, headers, attachments }) {
      try {
        await transport.sendMail({
          // An object, because text could be parsed as a list of addresses.
          to: { name: '', address: to },
          from: server.from,
          ...(id !== undefined && { messageId: messageId(id, server.from) }),
          ...(answers !== null && {
            inReplyTo: messageId(answers, server.from),
            references: [messageId(answers, server.from)],
          }),
          ...(returnTo !== null && { envelope: { from: returnTo, to } }),
          // Nodemailer encodes text that is not ASCII. It sends ASCII that looks encoded as it is.
          subject: looksEncoded(subject) ? encodeWords(subject) : subject,
          text,
          html,
          // Keeps programs that answer mail automatically from answering (RFC 3834, section 5).
          headers: { ...headers, 'Auto-Submitted': 'auto-generated' },
          attachments: attachments.map(({ filename, contentType, content }) => ({
            filename,
            contentType,
            content: Buffer.from(content),
            // A message within a message must not be encoded again (RFC 2046, section 5.2.1).
            ...(contentType === 'message/rfc822' && { contentTransferEncoding: '7bit' as const }),
          })),
        });
        return null;
      } catch (error) {
        return error instanceof Error ? `Mail was not accepted: ${error.message}` : 'Mail was not accepted';
      }
    },
    async [Symbol.asyncDispose]() {
      transport.close();
    },
  };
}

/** At least two labels of letters, digits and hyphens. The last begins with a letter, unlike in an IPv4 address. */
const FULL_NAME = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z](?:[a-z0-9-]*[a-z0-9])?$/i;

/** The greeting of a client without a name (RFC 5321, section 4.1.3). */
const NAMELESS = '[127.0.0.1]';

/** The first full domain name. Many mail servers refuse clients that greet with a short name or an address. */
export function greetingName(names: readonly string[]): string {
  return names.map(domainToASCII).find((name) => FULL_NAME.test(name)) ?? NAMELESS;
}

function messageId(id: string, from: string): string {
  return `<${id}@${domainOf(from)}>`;
}

/** The domain of a sender, which may be written with a name before its address. */
export function domainOf(from: string): string {
  const [, domain = 'localhost'] = /@([^\s@<>]+)>?\s*$/.exec(from) ?? [];
  return domain;
}
