import type { Socket } from 'node:net';
import type { ByteBudget } from '../lib/byte-budget.ts';
import type { EventLoopTurns } from '../lib/event-loop-turns.ts';
import { type MessageFault, MessageReader } from './message-reader.ts';
import type { Receive } from './receive.ts';
import { Session, type Step, TOO_LARGE } from './session.ts';

export interface ConnectionOptions {
  readonly domain: string;
  readonly maxMessageBytes: number;
  /** The longest silence of a client. */
  readonly idleTimeoutMs: number;
  /** The longest time that a client may leave answers unread. */
  readonly writeTimeoutMs: number;
  readonly sessionTimeoutMs: number;
}

/** In bytes: more than twice the limit of RFC 5321 and its extensions. */
const MAX_COMMAND_LENGTH = 4096;
/** The wait for a client to close the connection after our last reply. */
export const FAREWELL_TIMEOUT_MS = 5_000;
/** Commands of one client that are answered before other clients get a turn. */
const COMMANDS_PER_TURN = 20;

/** Services that all connections share, except the budget. */
export interface ConnectionServices {
  readonly receive: Receive;
  /** Limits the memory for messages from the client's address. */
  readonly budget: ByteBudget;
  readonly turns: EventLoopTurns;
}

const SHUTTING_DOWN = '421 4.3.2 Shutting down';
const TIMED_OUT = '421 4.4.2 Timed out';

const MESSAGE_FAULTS: Record<MessageFault, Step> = {
  too_large: { reply: TOO_LARGE, next: 'command' },
  no_room: { reply: '452 4.3.1 Too much mail at once, try again later', next: 'command' },
  endless: { reply: TOO_LARGE, next: 'hang_up' },
};

/** The command or message that is being received. */
type Input = { readonly line: Buffer[]; length: number } | MessageReader;

/** The dialogue with one client. It reads nothing while a reply is being prepared or is not yet read by the client. */
export class Connection {
  readonly #socket: Socket;
  readonly #options: ConnectionOptions;
  readonly #services: ConnectionServices;
  readonly #session: Session;
  #input: Input = { line: [], length: 0 };
  /** Whether a message is being recorded. The client waits for its reply. */
  #isReceiving = false;
  /** The last reply, sent instead of reading on once the reply to the current message is sent. */
  #farewell: string | null = null;
  #isOver = false;

  constructor(socket: Socket, options: ConnectionOptions, services: ConnectionServices) {
    this.#socket = socket;
    this.#options = options;
    this.#services = services;
    this.#session = new Session(options);
  }

  /** Runs the dialogue until either side closes it. */
  async run(): Promise<void> {
    const { idleTimeoutMs, sessionTimeoutMs } = this.#options;
    const sessionTimer = setTimeout(() => this.#leave(TIMED_OUT), sessionTimeoutMs);
    this.#socket.setTimeout(idleTimeoutMs, () => {
      // While a message is being recorded, silence of the client is expected.
      if (!this.#isReceiving) this.#leave(TIMED_OUT);
    });
    try {
      await this.#say(this.#session.greeting());
      for await (const chunk of this.#socket.iterator({ destroyOnReturn: false })) {
        await this.#take(chunk);
        if (this.#isOver) break;
        await this.#services.turns.next();
      }
    } catch {
      // The client is gone. An incomplete message was not acknowledged, so nothing is lost.
      this.abandon();
    } finally {
      clearTimeout(sessionTimer);
      if (this.#input instanceof MessageReader) this.#input.release();
      this.#hangUp();
      // Discards further input. Unread input would make the close drop our last reply.
      this.#socket.resume();
    }
  }

  /** Ends the dialogue. A message that is being received or recorded is finished and answered first. */
  stop(): void {
    if (this.#input instanceof MessageReader || this.#isReceiving) this.#farewell = SHUTTING_DOWN;
    else this.#leave(SHUTTING_DOWN);
  }

  /** Closes the connection at once. */
  abandon(): void {
    this.#isOver = true;
    this.#socket.destroy();
  }

  async #take(chunk: Buffer): Promise<void> {
    let rest = chunk;
    for (let turn = 1; rest.length > 0 && !this.#isOver && !this.#socket.destroyed; turn++) {
      if (turn % COMMANDS_PER_TURN === 0) await this.#services.turns.next();
      const input = this.#input;
      rest =
        input instanceof MessageReader
          ? await this.#takeMessage(input, rest)
          : await this.#takeCommand(input, rest);
    }
  }

  /** Takes a command line, or the part of it that has arrived. Returns the input after it. */
  async #takeCommand(input: Exclude<Input, MessageReader>, chunk: Buffer): Promise<Buffer> {
    const newline = chunk.indexOf(0x0a);
    const piece = newline === -1 ? chunk : chunk.subarray(0, newline);
    input.length += piece.length;
    // Copied, because a piece keeps its whole chunk in memory. Nothing is kept of a line that is too long.
    if (input.length <= MAX_COMMAND_LENGTH) input.line.push(Buffer.from(piece));
    if (newline === -1) return NOTHING;
    this.#input = { line: [], length: 0 };
    const line = Buffer.concat(input.line).toString().replace(/\r$/, '');
    const step =
      input.length > MAX_COMMAND_LENGTH
        ? this.#session.fault('500 5.5.2 Line too long')
        : this.#session.command(line);
    await this.#answer(step);
    return chunk.subarray(newline + 1);
  }

  async #takeMessage(reader: MessageReader, chunk: Buffer): Promise<Buffer> {
    const end = reader.push(chunk);
    if (end === null && reader.fault !== 'endless') return NOTHING;
    const step = await this.#finishMessage(reader);
    this.#input = { line: [], length: 0 };
    await this.#answer(step);
    return chunk.subarray(end ?? chunk.length);
  }

  async #finishMessage(reader: MessageReader): Promise<Step> {
    const envelope = this.#session.takeEnvelope();
    if (reader.fault !== null) return MESSAGE_FAULTS[reader.fault];
    this.#isReceiving = true;
    try {
      const peer = this.#socket.remoteAddress ?? '';
      return {
        reply: await this.#services.receive({ envelope, peer, raw: reader.message }),
        next: 'command',
      };
    } finally {
      this.#isReceiving = false;
      reader.release();
    }
  }

  async #answer({ reply, next }: Step): Promise<void> {
    await this.#say(reply);
    if (next === 'hang_up') this.#hangUp();
    else if (this.#farewell !== null) this.#leave(this.#farewell);
    else if (next === 'message')
      this.#input = new MessageReader(this.#options.maxMessageBytes, this.#services.budget);
  }

  /**
   * Sends a reply. Waits for a client that does not read, so that replies do not pile up, and closes if it never reads.
   */
  async #say(reply: string): Promise<void> {
    // A closed socket emits neither `drain` nor `close` again.
    if (this.#isOver || this.#socket.destroyed || this.#socket.write(`${reply}\r\n`)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => this.abandon(), this.#options.writeTimeoutMs);
    this.#socket.once('drain', resolve);
    this.#socket.once('close', resolve);
    await promise;
    clearTimeout(timer);
    this.#socket.off('drain', resolve);
    this.#socket.off('close', resolve);
  }

  /** Sends the last reply at once, or after the reply to a message that is being recorded. */
  #leave(farewell: string): void {
    if (this.#isReceiving) this.#farewell = farewell;
    else if (!this.#isOver) {
      this.#socket.write(`${farewell}\r\n`);
      this.#hangUp();
    }
  }

  #hangUp(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#socket.destroyed) return;
    this.#socket.setTimeout(0);
    this.#socket.end();
    const patienceMs = Math.min(FAREWELL_TIMEOUT_MS, this.#options.idleTimeoutMs);
    const farewell = setTimeout(() => this.#socket.destroy(), patienceMs);
    this.#socket.once('close', () => clearTimeout(farewell));
  }
}

const NOTHING = Buffer.alloc(0);
