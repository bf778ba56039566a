import type { Worker } from 'node:worker_threads';
import { AppError } from '../domain/errors.ts';
import { FairQueue } from '../lib/fair-queue.ts';
import { SupervisedThread, startThread } from '../lib/supervised-thread.ts';
import type { MailAnswer, MailQuestion } from './read-mail.ts';

export interface MailReaderOptions {
  /** Messages that may wait. Each account has a share of it, beyond which its mails are refused. */
  readonly maxQueuedMails: number;
  /** If reading a message takes longer, its thread is ended. Reading is bounded, so only a bug takes this long. */
  readonly maxReadMs: number;
}

/** Every connection may have a message of the same account: an account may take half of the places. */
export const MAIL_READER_DEFAULTS: MailReaderOptions = { maxQueuedMails: 200, maxReadMs: 30_000 };

/** Several times the need of the longest message. A thread that needs more is ended. */
const MAX_HEAP_MEGABYTES = 512;

/** The answer, with the message that was moved to the thread. */
export interface ReadMail extends MailAnswer {
  readonly raw: Uint8Array;
}

interface Job {
  readonly question: MailQuestion;
  readonly answer: PromiseWithResolvers<ReadMail>;
}

/**
 * Reads messages in a thread of its own, one after the other, so that the main thread stays free for pings. Accounts take
 * turns. If a message makes the thread fail, only that message fails; a new thread reads the next ones.
 */
export class MailReader implements AsyncDisposable {
  readonly #options: MailReaderOptions;
  readonly #thread: SupervisedThread<ReadMail>;
  readonly #queue: FairQueue<Job>;
  #current: { readonly job: Job; readonly timer: NodeJS.Timeout } | null = null;

  constructor(options: Partial<MailReaderOptions> = {}, start: () => Worker = startReaderThread) {
    this.#options = { ...MAIL_READER_DEFAULTS, ...options };
    this.#queue = new FairQueue({ maxQueued: this.#options.maxQueuedMails });
    this.#thread = new SupervisedThread<ReadMail>(
      'reads mail',
      start,
      (answer) => this.#settle(({ resolve }) => resolve(answer)),
      (error) => this.#settle(({ reject }) => reject(error)),
    );
  }

  /** Moves the message to the thread. The caller can no longer use its bytes. `ownerId` is the account that it is for. */
  read(ownerId: number, question: MailQuestion): Promise<ReadMail> {
    const answer = Promise.withResolvers<ReadMail>();
    if (!this.#queue.add(String(ownerId), { question, answer })) {
      return Promise.reject(new AppError('overloaded', 'too many mails wait to be read'));
    }
    this.#readNext();
    return answer.promise;
  }

  #readNext(): void {
    if (this.#current !== null) return;
    const job = this.#queue.take();
    if (job === undefined) return;
    const { maxReadMs } = this.#options;
    const late = new Error(`a mail was not read within ${maxReadMs} ms`);
    const timer = setTimeout(() => this.#thread.end(late), maxReadMs);
    this.#current = { job, timer };
    try {
      this.#thread.post(job.question, [job.question.raw.buffer as ArrayBuffer]);
    } catch (error) {
      this.#settle(({ reject }) => reject(error));
    }
  }

  #settle(tell: (answer: PromiseWithResolvers<ReadMail>) => void): void {
    if (this.#current === null) return;
    clearTimeout(this.#current.timer);
    tell(this.#current.job.answer);
    this.#current = null;
    this.#readNext();
  }

  /** Ends the thread. Questions that are not answered yet are rejected. */
  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new AppError('overloaded', 'no more mails are read');
    for (let job = this.#queue.take(); job !== undefined; job = this.#queue.take()) job.answer.reject(ended);
    await this.#thread.end(ended);
  }
}

export function startReaderThread(): Worker {
  return startThread('mail-reader-thread', import.meta.url, {
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MEGABYTES },
  });
}
