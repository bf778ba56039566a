import type { Logger } from 'pino';
import {
  DELIVERED,
  LEASE_EXTENDED_EVERY,
  LEASE_SPAN,
  type Outcome,
  tryAgain,
} from '../domain/alert/delivery.ts';
import type { QueuedMail } from '../domain/alert/mail.ts';
import type { Mail, MailSender } from '../lib/mail-sender.ts';
import { oneLine } from '../lib/text/one-line.ts';
import { type WrittenMail, writtenMail } from '../reading/account-mail.ts';
import { AccountTurns } from '../services/core/account-turns.ts';
import type { Deps } from '../services/core/deps.ts';
import { extendMailLeases, leaseMails, nextMailAt, settleMail, skipMail } from '../services/mail/mails.ts';

export interface AccountMailSenderOptions {
  readonly log: Logger;
  /** The return address of mails to the account with this UUID. Null: mails are returned to the sender. */
  returnAddress(accountUuid: string): string | null;
  /** Called when a mail has ended, so that the next one can be leased. */
  readonly onFree?: () => void;
}

/**
 * The limit is small: these mails are not urgent, and mail servers distrust clients that send many at once. One account has
 * half of them at the most.
 */
const MAX_CONCURRENT_MAILS = 6;
const MAX_REST_MS = 1_000;

/**
 * Works the outbox of mails to accounts. It leases due mails, has them written from the current data, sends them
 * outside of any transaction, and records the result.
 */
export class AccountMailSender implements AsyncDisposable {
  readonly #deps: Deps;
  readonly #sender: Pick<MailSender, 'send'>;
  readonly #options: AccountMailSenderOptions;
  readonly #underWay = new Map<QueuedMail, Promise<void>>();
  readonly #accounts = new AccountTurns(MAX_CONCURRENT_MAILS);

  constructor(deps: Deps, sender: Pick<MailSender, 'send'>, options: AccountMailSenderOptions) {
    this.#deps = deps;
    this.#sender = sender;
    this.#options = options;
  }

  /** Starts due mails, within the limit. Returns true if it found one, else the milliseconds until the next call. */
  async tick(): Promise<true | number> {
    const free = MAX_CONCURRENT_MAILS - this.#underWay.size;
    if (free <= 0) return MAX_REST_MS;
    const next = await nextMailAt(this.#deps);
    const now = this.#deps.clock.now();
    if (next === null || next > now) return MAX_REST_MS;
    const { leased, isComplete } = await leaseMails(this.#deps, this.#accounts, free);
    for (const mail of leased) this.#start(mail);
    return leased.length > 0 || !isComplete ? true : MAX_REST_MS;
  }

  /** Extends the leases of mails that take long to send. Returns the milliseconds until the next call. */
  async extendLeases(): Promise<number> {
    const soon = this.#deps.clock.now() + LEASE_SPAN - LEASE_EXTENDED_EVERY;
    const old = [...this.#underWay.keys()].filter(({ leasedUntilAt }) => (leasedUntilAt ?? 0) <= soon);
    if (old.length > 0) await extendMailLeases(this.#deps, old);
    return LEASE_EXTENDED_EVERY / 1000;
  }

  /** Resolves when no mail is in progress. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay.values());
  }

  #start(mail: QueuedMail): void {
    const work = this.#deliver(mail)
      .catch((err: unknown) => this.#options.log.error({ event: 'mail.failed', mailId: mail.id, err }))
      .then(() => {
        this.#underWay.delete(mail);
        this.#accounts.end(mail);
        this.#options.onFree?.();
      });
    this.#underWay.set(mail, work);
  }

  async #deliver(mail: QueuedMail): Promise<void> {
    const outcome = await this.#try(mail);
    if (outcome === null) return skipMail(this.#deps, mail);
    await settleMail(this.#deps, mail, outcome);
    const fields = { mailId: mail.id, kind: mail.subject.kind, attempt: mail.attemptCount };
    if ('error' in outcome) {
      this.#options.log.warn({ event: 'mail.refused', ...fields, reason: outcome.error });
    } else this.#options.log.debug({ event: 'mail.sent', ...fields });
  }

  /** Null if there is nothing to report. A mail that cannot be composed is retried, and given up after a day. */
  async #try(mail: QueuedMail): Promise<Outcome | null> {
    try {
      const written = await writtenMail(this.#deps, mail);
      if (written === null) return null;
      const error = await this.#sender.send(this.#address(mail, written));
      // A server's answer may contain characters that PostgreSQL rejects, such as NUL.
      return error === null ? DELIVERED : tryAgain(oneLine(error));
    } catch (err) {
      this.#options.log.error({ event: 'mail.not_composed', mailId: mail.id, err });
      return tryAgain('The mail cannot be composed');
    }
  }

  #address({ uuid }: QueuedMail, { email, accountUuid, ...text }: WrittenMail): Mail {
    const returnTo = accountUuid === null ? null : this.#options.returnAddress(accountUuid);
    return { id: uuid, to: email, returnTo, ...text, attachments: [] };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.settled();
  }
}
