import { parentPort, type Worker } from 'node:worker_threads';
import type { Mail, MailSender, MailServer } from './mail-sender.ts';
import { SupervisedThread, startThread } from './supervised-thread.ts';
import { givenToThread } from './thread-task.ts';

/** Several times the need of the longest mail. A thread that needs more is ended. */
const MAX_HEAP_MEGABYTES = 256;

interface Request {
  readonly id: number;
  readonly mail: Mail;
}

interface Reply {
  readonly id: number;
  readonly error: string | null;
}

/**
 * Sends mail from a thread of its own: to encode a long mail takes tens of milliseconds. The thread starts with the first
 * mail. If it ends, the mails in it count as not accepted, and the next mail starts a new thread.
 */
export class MailThread implements MailSender {
  readonly #thread: SupervisedThread<Reply>;
  readonly #waiting = new Map<number, (error: string | null) => void>();
  #lastId = 0;
  #isClosed = false;

  constructor(server: MailServer, start = () => startMailThread(server)) {
    this.#thread = new SupervisedThread(
      'sends mail',
      start,
      ({ id, error }) => this.#settle(id, error),
      (error) => {
        for (const id of this.#waiting.keys()) this.#settle(id, notAccepted(error));
      },
    );
  }

  async send(mail: Mail): Promise<string | null> {
    if (this.#isClosed) return ENDED;
    const id = ++this.#lastId;
    const { promise, resolve } = Promise.withResolvers<string | null>();
    try {
      this.#thread.post({ id, mail } satisfies Request);
    } catch (error) {
      return notAccepted(error);
    }
    this.#waiting.set(id, resolve);
    return promise;
  }

  #settle(id: number, error: string | null): void {
    this.#waiting.get(id)?.(error);
    this.#waiting.delete(id);
  }

  /** Closes the connections. Mails that are being sent count as not accepted. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.#thread.end();
  }
}

const ENDED = 'Mail was not accepted: the thread that sends mail has ended';

function notAccepted(error: unknown): string {
  return `Mail was not accepted: ${error instanceof Error ? error.message : 'the thread that sends mail has failed'}`;
}

function startMailThread(server: MailServer): Worker {
  return startThread('mail-thread', import.meta.url, {
    workerData: { mailServer: server },
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MEGABYTES },
  });
}

const mailServer = givenToThread<MailServer>('mailServer');
if (parentPort !== null && mailServer !== null) {
  const port = parentPort;
  // Not loaded by the thread that starts this one: the library behind it takes a tenth of a second.
  const { createMailSender } = await import('./mail-sender.ts');
  const sender = createMailSender(mailServer);
  port.on('message', async ({ id, mail }: Request) => {
    port.postMessage({ id, error: await sender.send(mail) } satisfies Reply);
  });
}
