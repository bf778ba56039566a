import { createHash } from 'node:crypto';
import { AwsClient } from 'aws4fetch';
import type { Clock } from '../lib/clock.ts';
import { MAX_OPERATION_SECONDS, type ObjectPage, type ObjectStore } from './object-store.ts';

export interface S3Options {
  /** Host, with a port if it is not the usual one. */
  readonly endpoint: string;
  readonly isSecure: boolean;
  readonly region: string;
  readonly bucket: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** For a whole operation; null: the most there is. */
  readonly timeoutSeconds: number | null;
  /** Signatures carry the time, and the storage compares it with its own. */
  readonly clock: Clock;
}

/** The storage did not do what it was asked. Says nothing that is secret: neither keys of objects nor of access. */
export class ObjectStoreError extends Error {
  override readonly name = 'ObjectStoreError';
}

/** A connection kept open that the storage has closed meanwhile fails at first use: hence a second try. */
const TRIES = 2;
/** A page of keys, each at its longest, with what else is said of it. */
export const MAX_LISTING = 4 * 1024 * 1024;
const MAX_ERROR = 64 * 1024;

interface Operation {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Bytes that the answer may have. */
  readonly maxBytes: number;
}

interface Answer {
  readonly status: number;
  readonly bytes: Uint8Array;
}

/** Any storage that speaks the protocol of S3; buckets are addressed by path, as all of them understand. */
export class S3ObjectStore implements ObjectStore, Disposable {
  readonly #options: S3Options;
  readonly #signer: AwsClient;
  readonly #closing = new AbortController();

  constructor(options: S3Options) {
    this.#options = options;
    this.#signer = new AwsClient({
      accessKeyId: options.accessKey,
      secretAccessKey: options.secretKey,
      service: 's3',
      region: options.region,
    });
  }

  async put(key: string, body: Uint8Array): Promise<void> {
    const answer = await this.#perform({ method: 'PUT', path: key, body, maxBytes: MAX_ERROR });
    if (!isSuccess(answer)) throw refusal('put', answer);
  }

  async get(key: string, maxBytes: number): Promise<Uint8Array | null> {
    const answer = await this.#perform({
      method: 'GET',
      path: key,
      maxBytes: Math.max(maxBytes, MAX_ERROR),
    });
    if (isMissing(answer)) return null;
    if (!isSuccess(answer)) throw refusal('get', answer);
    if (answer.bytes.length > maxBytes) throw new ObjectStoreError('get: the object is longer than was put');
    return answer.bytes;
  }

  async delete(key: string): Promise<void> {
    const answer = await this.#perform({ method: 'DELETE', path: key, maxBytes: MAX_ERROR });
    if (!isSuccess(answer) && !isMissing(answer)) throw refusal('delete', answer);
  }

  async list(prefix: string, after: string): Promise<ObjectPage> {
    const query = { 'list-type': '2', prefix, 'start-after': after };
    const answer = await this.#perform({ method: 'GET', path: '', query, maxBytes: MAX_LISTING });
    if (!isSuccess(answer)) throw refusal('list', answer);
    return parseListing(new TextDecoder().decode(answer.bytes));
  }

  async #perform(operation: Operation): Promise<Answer> {
    const timeoutSeconds = this.#options.timeoutSeconds ?? MAX_OPERATION_SECONDS;
    const timeout = AbortSignal.timeout(timeoutSeconds * 1000);
    const signal = AbortSignal.any([timeout, this.#closing.signal]);
    for (let tries = 1; ; tries++) {
      try {
        return await this.#send(operation, signal);
      } catch (cause) {
        if (cause instanceof ObjectStoreError) throw cause;
        if (timeout.aborted) throw new ObjectStoreError(`no answer within ${timeoutSeconds} s`, { cause });
        if (signal.aborted) throw new ObjectStoreError('given up, since the service stops', { cause });
        if (tries === TRIES) throw new ObjectStoreError(`no connection: ${reasonOf(cause)}`, { cause });
      }
    }
  }

  async #send({ method, path, query, body, maxBytes }: Operation, signal: AbortSignal): Promise<Answer> {
    const { endpoint, isSecure, bucket, clock } = this.#options;
    const url = new URL(`${isSecure ? 'https' : 'http'}://${endpoint}/${bucket}/${path}`);
    url.search = percentEncoded(query ?? {});
    const request = await this.#signer.sign(url, {
      method,
      // The digest of the body is signed, too: what arrives is what was sent, or is refused.
      headers: { 'x-amz-content-sha256': sha256(body ?? new Uint8Array(0)) },
      body: body === undefined ? null : new Uint8Array(body),
      // A redirect means another region or another bucket than was configured.
      redirect: 'manual',
      aws: { datetime: amzDate(clock) },
    });
    const response = await fetch(request, { signal });
    return { status: response.status, bytes: await readAtMost(response, maxBytes) };
  }

  /** Gives up what is under way, and whatever is asked for later. */
  [Symbol.dispose](): void {
    this.#closing.abort();
  }
}

function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

/** A missing bucket is a 404 as well, but one that says nothing about the object. */
function isMissing(answer: Answer): boolean {
  return answer.status === 404 && errorCodeOf(answer) === 'NoSuchKey';
}

function refusal(verb: string, answer: Answer): ObjectStoreError {
  return new ObjectStoreError(
    `${verb}: the storage answered ${answer.status} ${errorCodeOf(answer) ?? ''}`.trimEnd(),
  );
}

/** The one word of an error's XML that neither repeats the request nor is made for people. */
function errorCodeOf({ bytes }: Answer): string | null {
  return /<Code>([A-Za-z0-9]{1,64})<\/Code>/.exec(new TextDecoder().decode(bytes))?.[1] ?? null;
}

/** Escapes in keys are left as they are: our own keys have none, and others are passed over. */
function parseListing(xml: string): ObjectPage {
  if (!/<ListBucketResult[\s>]/.test(xml)) throw new ObjectStoreError('list: the answer is no listing');
  return {
    keys: Array.from(xml.matchAll(/<Key>([^<]*)<\/Key>/g), ([, key = '']) => key),
    hasMore: /<IsTruncated>true<\/IsTruncated>/.test(xml),
  };
}

async function readAtMost(response: Response, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop closes the connection.
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > maxBytes) throw new ObjectStoreError('the answer is longer than expected');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** A space is `%20` to a storage that compares signatures, never `+`. */
function percentEncoded(query: Readonly<Record<string, string>>): string {
  return Object.entries(query)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** `20240301T120000Z` */
function amzDate(clock: Clock): string {
  return new Date(clock.now() / 1000).toISOString().replace(/[:-]|\.\d+/g, '');
}

/** `fetch` hides what happened in the cause of the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const cause = error.cause instanceof Error ? error.cause : error;
  return 'code' in cause ? String(cause.code) : cause.message;
}
