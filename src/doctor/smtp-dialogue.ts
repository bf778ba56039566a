import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { connect as secure } from 'node:tls';

export interface SmtpReply {
  readonly code: number;
  /** All its lines. */
  readonly lines: readonly string[];
}

/** The server has said something else than was needed, or nothing. */
export class SmtpFailure extends Error {
  override readonly name = 'SmtpFailure';
}

/** A talk with a mail server, command by command. */
export class SmtpDialogue implements Disposable {
  #socket: Socket;
  readonly #host: string;
  readonly #signal: AbortSignal;
  #received = '';

  private constructor(socket: Socket, host: string, signal: AbortSignal) {
    this.#socket = socket;
    this.#host = host;
    this.#signal = signal;
    this.#listen();
  }

  /** `address` is an address of the host. */
  static async open(
    { host, address, port, isSecure }: SmtpPlace,
    signal: AbortSignal,
  ): Promise<SmtpDialogue> {
    const socket = connect({ host: address, port });
    signal.addEventListener('abort', () => socket.destroy(), { once: true });
    try {
      await once(socket, 'connect', { signal });
    } catch (error) {
      throw new SmtpFailure(`no connection to ${host}:${port}: ${messageOf(error)}`);
    }
    const dialogue = new SmtpDialogue(socket, host, signal);
    if (isSecure) await dialogue.startTls();
    return dialogue;
  }

  /** Makes the rest of the talk unreadable to others. The certificate has to be good for the host. */
  async startTls(): Promise<void> {
    this.#socket.removeAllListeners('data');
    const socket = secure({
      socket: this.#socket,
      host: this.#host,
      servername: isIP(this.#host) === 0 ? this.#host : '',
    });
    try {
      await once(socket, 'secureConnect', { signal: this.#signal });
    } catch (error) {
      throw new SmtpFailure(`TLS with ${this.#host} fails: ${messageOf(error)}`);
    }
    this.#socket = socket;
    this.#listen();
  }

  /** The next reply. */
  async reply(): Promise<SmtpReply> {
    for (;;) {
      const whole = /^((?:\d{3}-.*\r\n)*\d{3}(?: .*)?\r\n)/.exec(this.#received)?.[1];
      if (whole !== undefined) {
        this.#received = this.#received.slice(whole.length);
        const lines = whole.trimEnd().split('\r\n');
        return { code: Number(whole.slice(0, 3)), lines };
      }
      if (this.#socket.destroyed) throw new SmtpFailure('the server has hung up');
      await Promise.race([once(this.#socket, 'data', { signal: this.#signal }), once(this.#socket, 'close')]);
    }
  }

  /** Sends a command and takes its reply. `shown` stands for a command with a secret in errors. */
  async say(command: string, accepted: readonly number[], shown = command): Promise<SmtpReply> {
    this.#socket.write(`${command}\r\n`);
    const reply = await this.reply();
    if (!accepted.includes(reply.code)) throw new SmtpFailure(`to ${shown} it says ${reply.lines.join(' ')}`);
    return reply;
  }

  /** Ends the talk without a message. The reply does not matter. */
  async quit(): Promise<void> {
    this.#socket.write('QUIT\r\n');
    await this.reply().catch(() => undefined);
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }

  #listen(): void {
    this.#socket.setEncoding('latin1');
    this.#socket.on('data', (text: string) => {
      this.#received += text;
    });
    // A reply that does not come tells of it.
    this.#socket.on('error', () => undefined);
  }
}

export interface SmtpPlace {
  readonly host: string;
  readonly address: string;
  readonly port: number;
  readonly isSecure: boolean;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
