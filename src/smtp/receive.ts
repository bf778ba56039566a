import type { Logger } from 'pino';
import { AppError } from '../domain/errors.ts';
import {
  type IncomingPing,
  isFailure,
  type PingOutcome,
  type PingTarget,
} from '../domain/ping/incoming-ping.ts';
import { filterKey, type MailFilter } from '../domain/ping/mail-filter.ts';
import { peerAddress } from '../lib/ip-address.ts';
import type { MailedTo, MailRecipient } from '../services/ping/mail-recipients.ts';
import type { PingWriter } from '../services/ping/ping-writer.ts';
import type { MailReader } from './mail-reader.ts';
import type { Envelope } from './session.ts';

/** The services that pings by mail use. */
export interface MailServices {
  readonly pings: PingWriter;
  /** The current recipient of each address. */
  findRecipients(targets: readonly PingTarget[]): Promise<MailRecipient[]>;
}

export interface ReceiveOptions {
  /** Bytes of a message that are kept. Null keeps all. */
  readonly bodyLimit: number | null;
  readonly log: Logger;
}

/** A complete message. */
export interface Mail {
  readonly envelope: Envelope;
  /** The address of the client, from the socket. */
  readonly peer: string;
  readonly raw: Uint8Array;
}

const MAX_USER_AGENT_LENGTH = 200;
/** Times that a message is read again because the filter of a check changed meanwhile. */
const MAX_READINGS = 3;

/** Records a message. Returns the SMTP reply. The caller can no longer use the bytes of the message. */
export type Receive = (mail: Mail) => Promise<string>;

/**
 * Records a ping for each recipient that exists. A recipient without a check is skipped silently, because which checks
 * exist is a secret. A mail without any existing recipient is not read. If the database is unavailable, the sender is
 * asked to try again, even if some pings were recorded: a ping that counts twice does less harm than a lost one.
 */
export function createReceiver(
  services: MailServices,
  reader: MailReader,
  { bodyLimit, log }: ReceiveOptions,
): Receive {
  return async (mail) => {
    const bytes = mail.raw.length;
    const receipt = new Receipt(mail, services, reader, bodyLimit);
    try {
      await receipt.recordAll();
    } catch (err) {
      log.error({ event: 'mail.failed', err, bytes, ...receipt.tally });
      return TRY_AGAIN;
    }
    for (const err of receipt.failures) log.error({ event: 'mail.ping_failed', err });
    log.info({ event: 'mail.received', bytes, ...receipt.tally });
    // Other failures usually repeat. If some pings were recorded, the reply is 250: trying again would record those
    // twice.
    return receipt.tally.failed > 0 && receipt.tally.recorded === 0 ? TRY_AGAIN : '250 OK';
  };
}

const TRY_AGAIN = '451 4.3.0 Try again later';

interface Recipient extends MailedTo {
  readonly target: PingTarget;
}

/** The recording of one message for all its recipients. */
class Receipt {
  readonly tally = { recorded: 0, unknown: 0, ambiguous: 0, failed: 0 };
  readonly failures: unknown[] = [];
  readonly #mail: Mail;
  readonly #services: MailServices;
  readonly #reader: MailReader;
  readonly #bodyLimit: number | null;

  constructor(mail: Mail, services: MailServices, reader: MailReader, bodyLimit: number | null) {
    this.#mail = mail;
    this.#services = services;
    this.#reader = reader;
    this.#bodyLimit = bodyLimit;
  }

  /** Reads the message again for checks whose filter has changed since it was read. */
  async recordAll(): Promise<void> {
    let { raw } = this.#mail;
    let left: readonly PingTarget[] = this.#mail.envelope.recipients;
    for (let readings = 0; ; readings++) {
      const recipients = await this.#find(left);
      const [first] = recipients;
      if (first === undefined) return;
      if (readings === MAX_READINGS) throw new Error('the filters of a check keep changing');
      const { pings, raw: readRaw } = await this.#read(first.ownerId, raw, recipients);
      raw = readRaw;
      left = await this.#record(pings);
    }
  }

  async #find(targets: readonly PingTarget[]): Promise<Recipient[]> {
    if (targets.length === 0) return [];
    const found = await this.#services.findRecipients(targets);
    const recipients: Recipient[] = [];
    for (const [index, target] of targets.entries()) {
      const recipient = found[index] ?? 'not_found';
      if (recipient === 'not_found') this.tally.unknown++;
      else if (recipient === 'ambiguous') this.tally.ambiguous++;
      else recipients.push({ target, ...recipient });
    }
    return recipients;
  }

  /** Searches the text once for each distinct filter. It takes from the share of the account to whose check it goes first. */
  async #read(
    ownerId: number,
    raw: Uint8Array,
    recipients: readonly Recipient[],
  ): Promise<{ pings: IncomingPing[]; raw: Uint8Array }> {
    const byKey = new Map<string, MailFilter>();
    for (const { filter } of recipients) if (filter !== null) byKey.set(filterKey(filter), filter);
    const question = { raw, bodyLimit: this.#bodyLimit, filters: [...byKey.values()] };
    const read = await this.#reader.read(ownerId, question);
    const signals = new Map([...byKey.keys()].map((key, index) => [key, read.signals[index] ?? null]));
    const about = describe(this.#mail, read.body);
    const pings = recipients.flatMap(({ target, filter }): IncomingPing[] => {
      const signal = filter === null ? 'success' : (signals.get(filterKey(filter)) ?? null);
      if (signal !== null) {
        return [{ ...about, target, mail: { filter, signal, asksToConfirm: read.asksToConfirm } }];
      }
      this.#fail(new Error('to look for all keywords of all recipients would take too long'));
      return [];
    });
    return { pings, raw: read.raw };
  }

  /** Returns the recipients for which the message must be read again. */
  async #record(pings: readonly IncomingPing[]): Promise<PingTarget[]> {
    const outcomes = await this.#services.pings.recordAll(pings);
    return outcomes.flatMap((outcome, index) => {
      const target = pings[index]?.target;
      if (outcome === 'filter_changed' && target !== undefined) return [target];
      this.#count(outcome);
      return [];
    });
  }

  #count(outcome: PingOutcome): void {
    if (outcome === 'recorded') this.tally.recorded++;
    else if (outcome === 'not_found') this.tally.unknown++;
    else if (outcome === 'ambiguous') this.tally.ambiguous++;
    else if (!isFailure(outcome)) this.#fail(new Error(String(outcome)));
    else if (outcome.failure instanceof AppError) throw outcome.failure;
    else this.#fail(outcome.failure);
  }

  #fail(failure: unknown): void {
    this.tally.failed++;
    this.failures.push(failure);
  }
}

/** The parts of a ping that are the same for all recipients. */
function describe({ envelope, peer }: Mail, body: Uint8Array): Omit<IncomingPing, 'target' | 'mail'> {
  return {
    fault: null,
    signal: 'success',
    exitStatus: null,
    rid: null,
    scheme: 'email',
    method: '',
    remoteAddr: peer === '' ? null : peerAddress(peer),
    userAgent: userAgent(envelope.sender),
    body: body.length === 0 ? null : body,
  };
}

/** Replaces control characters and incomplete characters: PostgreSQL rejects some, and people cannot read any. */
function userAgent(sender: string): string {
  const shown = sender === '' ? '<>' : sender.replace(/\p{Cc}/gu, '\u{fffd}');
  return `Email from ${shown}`.slice(0, MAX_USER_AGENT_LENGTH).toWellFormed();
}
