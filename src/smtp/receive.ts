import type { Logger } from 'pino';
import type { IncomingPing, PingOutcome } from '../domain/incoming-ping.ts';
import { canonicalAddress } from '../lib/ip-address.ts';
import type { PingWriter } from '../services/ping-writer.ts';
import type { MailText } from './mail-text.ts';
import { createTextReader } from './mail-text-thread.ts';
import type { Envelope } from './session.ts';

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

const LONGEST_USER_AGENT = 200;

/** Takes a message: answers with the SMTP reply to it. */
export type Receive = (mail: Mail) => Promise<string>;

/**
 * Records a ping for each recipient, one after the other. A recipient without a check is skipped, and nobody
 * is told: who exists is a secret. If the database fails the sender is asked to try again, whatever was recorded
 * before: a ping that counts twice does less harm than one that is lost.
 */
export function createReceiver(writer: PingWriter, { bodyLimit, log }: ReceiveOptions): Receive {
  const readText = createTextReader();
  return async (mail) => {
    const tally = { recorded: 0, unknown: 0, ambiguous: 0, failed: 0 };
    try {
      const about = describe(mail, await readText(mail.raw), bodyLimit);
      for (const target of mail.envelope.recipients) {
        const outcome = await writer.record({ ...about, target });
        if (typeof outcome === 'object') log.error({ event: 'mail.ping_failed', err: outcome.failure });
        tally[countedAs(outcome)]++;
      }
    } catch (err) {
      log.error({ event: 'mail.failed', err, bytes: mail.raw.length, ...tally });
      return TRY_AGAIN;
    }
    log.info({ event: 'mail.received', bytes: mail.raw.length, ...tally });
    // One check that cannot be pinged must not have the others pinged again with each new attempt.
    return tally.failed > 0 && tally.recorded === 0 ? TRY_AGAIN : '250 OK';
  };
}

const TRY_AGAIN = '451 4.3.0 Try again later';

function countedAs(outcome: PingOutcome): 'recorded' | 'unknown' | 'ambiguous' | 'failed' {
  switch (outcome) {
    case 'recorded':
      return 'recorded';
    case 'not_found':
      return 'unknown';
    case 'ambiguous':
      return 'ambiguous';
    default:
      return 'failed';
  }
}

/** All of a ping but whose it is. */
function describe(
  { envelope, peer, raw }: Mail,
  text: MailText,
  bodyLimit: number | null,
): Omit<IncomingPing, 'target'> {
  // A copy of its own, since the block that the message arrived in may be many times as large.
  const body = new Uint8Array(raw.subarray(0, bodyLimit ?? raw.length));
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
    mail: text,
  };
}

/** Databases take neither NUL nor halves of characters, and people no other control characters. */
function userAgent(sender: string): string {
  const shown = sender === '' ? '<>' : sender.replace(/\p{Cc}/gu, '\u{fffd}');
  return `Email from ${shown}`.slice(0, LONGEST_USER_AGENT).toWellFormed();
}
