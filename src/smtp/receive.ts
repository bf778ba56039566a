import type { Logger } from 'pino';
import { AppError } from '../domain/errors.ts';
import type { IncomingPing, PingOutcome, PingTarget } from '../domain/incoming-ping.ts';
import { filterKey, type MailFilter } from '../domain/mail-filter.ts';
import { canonicalAddress } from '../lib/ip-address.ts';
import type { MailRecipient } from '../services/mail-recipients.ts';
import type { PingWriter } from '../services/ping-writer.ts';
import type { MailReader } from './mail-reader.ts';
import type { Envelope } from './session.ts';

/** What pings by mail need of the service. */
export interface MailServices {
  readonly pings: PingWriter;
  /** What each address stands for just now. */
  findRecipients(targets: readonly PingTarget[]): Promise<MailRecipient[]>;
}

export interface ReceiveOptions {
  /** Bytes of a message that are kept; null keeps all. */
  readonly bodyLimit: number | null;
  readonly log: Logger;
}

/** A message that has arrived as a whole. */
export interface Mail {
  readonly envelope: Envelope;
  /** Where it came from, as the socket says. */
  readonly peer: string;
  readonly raw: Uint8Array;
}

const MAX_USER_AGENT_LENGTH = 200;
/** How often a message is read for a check whose filter changes each time. */
const MAX_READINGS = 3;

/** Takes a message: answers with the SMTP reply to it. The bytes of the message are used up. */
export type Receive = (mail: Mail) => Promise<string>;

/**
 * Records a ping for each recipient that exists. A recipient without a check is skipped, and nobody is told: who exists
 * is a secret. A mail for nobody is not even read. If the database fails the sender is asked to try again, whatever was
 * recorded before: a ping that counts twice does less harm than one that is lost.
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
    // One check that cannot be pinged must not have the others pinged again with each new attempt.
    return receipt.tally.failed > 0 && receipt.tally.recorded === 0 ? TRY_AGAIN : '250 OK';
  };
}

const TRY_AGAIN = '451 4.3.0 Try again later';

interface Recipient {
  readonly target: PingTarget;
  readonly filter: MailFilter | null;
}

/** A message on its way to its recipients. */
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

  /** A check whose filter changes after the message was read for it has the message read again. */
  async recordAll(): Promise<void> {
    let { raw } = this.#mail;
    let left: readonly PingTarget[] = this.#mail.envelope.recipients;
    for (let readings = 0; ; readings++) {
      const recipients = await this.#find(left);
      if (recipients.length === 0) return;
      if (readings === MAX_READINGS) throw new Error('the filters of a check keep changing');
      const { pings, raw: readRaw } = await this.#read(raw, recipients);
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
      else recipients.push({ target, filter: recipient.filter });
    }
    return recipients;
  }

  /** The text is looked at once for each filter, however many recipients have it. */
  async #read(
    raw: Uint8Array,
    recipients: readonly Recipient[],
  ): Promise<{ pings: IncomingPing[]; raw: Uint8Array }> {
    const byKey = new Map<string, MailFilter>();
    for (const { filter } of recipients) if (filter !== null) byKey.set(filterKey(filter), filter);
    const read = await this.#reader.read({ raw, bodyLimit: this.#bodyLimit, filters: [...byKey.values()] });
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

  /** Answers for whom the message has to be read again. */
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
    else if (typeof outcome === 'string') this.#fail(new Error(outcome));
    else if (outcome.failure instanceof AppError) throw outcome.failure;
    else this.#fail(outcome.failure);
  }

  #fail(failure: unknown): void {
    this.tally.failed++;
    this.failures.push(failure);
  }
}

/** All of a ping but whose it is and what it means. */
function describe({ envelope, peer }: Mail, body: Uint8Array): Omit<IncomingPing, 'target' | 'mail'> {
  return {
    fault: null,
    signal: 'success',
    exitStatus: null,
    rid: null,
    scheme: 'email',
    method: '',
    remoteAddr: peer === '' ? null : canonicalAddress(peer.replace(/^::ffff:(?=[\d.]+$)/, '')),
    userAgent: userAgent(envelope.sender),
    body: body.length === 0 ? null : body,
  };
}

/** Databases take neither NUL nor halves of characters, and people no other control characters. */
function userAgent(sender: string): string {
  const shown = sender === '' ? '<>' : sender.replace(/\p{Cc}/gu, '\u{fffd}');
  return `Email from ${shown}`.slice(0, MAX_USER_AGENT_LENGTH).toWellFormed();
}
