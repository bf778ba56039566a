import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../domain/errors.ts';
import type { ByteBudget } from '../lib/byte-budget.ts';
import { GrowingBlock } from '../lib/growing-block.ts';
import { hangUpAfter } from './hang-up.ts';
import { MAX_KEYLESS_BODY_BYTES, MIN_PIECE_BYTES } from './limits.ts';
import { readPingBody } from './ping/request-body.ts';
import type { HttpRequest } from './request.ts';
import type { BodyRule } from './route.ts';

/** A body that anybody may send. It is read on request. Its memory is given back when the object is disposed of. */
export class OpenBody implements Disposable {
  readonly #rule: BodyRule;
  readonly #request: HttpRequest;
  #heldBytes = 0;

  constructor(rule: BodyRule, request: HttpRequest) {
    this.#rule = rule;
    this.#request = request;
  }

  async read(): Promise<Uint8Array> {
    if (this.#rule.read === 'beginning') return this.#readBeginning(this.#rule);
    const { raw, response, context } = this.#request;
    return new BodyReader(raw, response, MAX_KEYLESS_BODY_BYTES, context.keylessBodyBudget).whole;
  }

  async #readBeginning({ maxBytes, drainLimits }: BodyRule & { read: 'beginning' }): Promise<Uint8Array> {
    const { raw, response, context } = this.#request;
    const { bytes, isEndless } = await readPingBody(
      raw,
      maxBytes,
      drainLimits,
      context.keylessBodyBudget,
      // If the client disconnects before the end, its body counts as empty.
    ).catch(() => ({ bytes: null, isEndless: false }));
    if (isEndless) response.setHeader('connection', 'close');
    this.#heldBytes += bytes?.length ?? 0;
    return bytes ?? new Uint8Array();
  }

  [Symbol.dispose](): void {
    this.#request.context.keylessBodyBudget.give(this.#heldBytes);
  }
}

/**
 * Reads a whole body, beginning now. Its memory counts in the budget until the answer is sent. If the body is refused,
 * reading stops and the connection is closed with the answer.
 */
export class BodyReader {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #block: GrowingBlock;
  readonly #whole = Promise.withResolvers<Uint8Array>();
  readonly #limit: number;
  #pieceCount = 0;
  #isSettled = false;

  constructor(request: IncomingMessage, response: ServerResponse, limit: number, budget: ByteBudget) {
    this.#request = request;
    this.#response = response;
    this.#limit = limit;
    this.#block = new GrowingBlock(limit, budget);
    // A later reader of `whole` still receives the error.
    this.#whole.promise.catch(() => undefined);
    response.once('close', () => this.#release());
    if (response.closed || request.destroyed) this.#fail(incomplete());
    else if (Number(request.headers['content-length'] ?? 0) > limit) this.#fail(tooLarge());
    else this.#start();
  }

  #start(): void {
    const request = this.#request;
    request.on('data', (piece: Buffer) => this.#take(piece));
    request.on('end', () => this.#finish());
    request.on('error', () => this.#fail(incomplete()));
    // Completed requests close too. No error is created for them, which would cost time.
    request.on('close', () => this.#isSettled || this.#fail(incomplete()));
  }

  /** Must not be used after the request is answered. */
  get whole(): Promise<Uint8Array> {
    return this.#whole.promise;
  }

  #release(): void {
    this.#isSettled = true;
    this.#block.release();
  }

  #take(piece: Buffer): void {
    if (this.#isSettled) return;
    const isInCrumbs = ++this.#pieceCount > this.#limit / MIN_PIECE_BYTES;
    if (this.#block.length + piece.length > this.#limit || isInCrumbs) this.#fail(tooLarge());
    else if (!this.#block.append(piece)) this.#fail(overloaded());
  }

  #finish(): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#whole.resolve(this.#block.bytes);
  }

  #fail(error: AppError): void {
    if (this.#isSettled) return;
    this.#release();
    hangUpAfter(this.#request, this.#response);
    this.#whole.reject(error);
  }
}

function tooLarge(): AppError {
  return new AppError('body_too_large');
}

function incomplete(): AppError {
  return new AppError('invalid_body', 'request body is incomplete');
}

function overloaded(): AppError {
  return new AppError('overloaded', undefined, { retryAfterSeconds: 1 });
}
