import { createHash } from 'node:crypto';
import { AwsClient } from 'aws4fetch';
import type { Clock } from '../lib/clock.ts';
import { MAX_OPERATION_SECONDS, type ObjectPage, type ObjectStore } from './object-store.ts';

export interface S3Options {
  /** Host, with a port if it is not the default one. */
  readonly endpoint: string;
  readonly isSecure: boolean;
  readonly region: string;
  readonly bucket: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** For a whole operation. Null means the longest time allowed. */
  readonly timeoutSeconds: number | null;
  /** A signature holds the time, and the storage compares it with its own clock. */
  readonly clock: Clock;
}

/** The storage refused or failed. The message holds no secret: neither keys of objects nor access keys. */
export class ObjectStoreError extends Error {
  override readonly name = 'ObjectStoreError';
}

/** The storage may have closed an idle connection. The next request on it fails, so it is tried a second time. */
const TRIES = 2;
/** Enough for a page of keys of the greatest length, with their metadata. */
export const MAX_LISTING = 4 * 1024 * 1024;
const MAX_ERROR = 64 * 1024;

interface Operation {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** The most bytes that the answer may have. */
  readonly maxBytes: number;
}

interface Answer {
  readonly status: number;
  readonly bytes: Uint8Array;
}

/** A client for any storage with the S3 protocol. It addresses buckets by path, which all of them support. */
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
      // The digest of the body is signed too, so the storage refuses a body that was changed on the way.
      headers: { 'x-amz-content-sha256': sha256(body ?? new Uint8Array(0)) },
      body: body === undefined ? null : new Uint8Array(body),
      // A redirect means that the region or the bucket is configured wrongly.
      redirect: 'manual',
      aws: { datetime: amzDate(clock) },
    });
    const response = await fetch(request, { signal });
    return { status: response.status, bytes: await readAtMost(response, maxBytes) };
  }

  /** Aborts the open requests and refuses later ones. */
  [Symbol.dispose](): void {
    this.#closing.abort();
  }
}

function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

/** A missing bucket is a 404 as well, but it says nothing about the object. */
function isMissing(answer: Answer): boolean {
  return answer.status === 404 && errorCodeOf(answer) === 'NoSuchKey';
}

function refusal(verb: string, answer: Answer): ObjectStoreError {
  return new ObjectStoreError(
    `${verb}: the storage answered ${answer.status} ${errorCodeOf(answer) ?? ''}`.trimEnd(),
  );
}

/** The error code. The other parts of the XML repeat the request or are texts for people. */
function errorCodeOf({ bytes }: Answer): string | null {
  return /<Code>([A-Za-z0-9]{1,64})<\/Code>/.exec(new TextDecoder().decode(bytes))?.[1] ?? null;
}

/** Does not decode escapes in keys. Our own keys have none, and other keys are ignored. */
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

/** Encodes a space as `%20`: with `+` the signature would not match. */
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

/** `fetch` puts the reason into the cause of the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const cause = error.cause instanceof Error ? error.cause : error;
  return 'code' in cause ? String(cause.code) : cause.message;
}
