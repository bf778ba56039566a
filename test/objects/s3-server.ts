import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { escapeHtml } from '../../src/lib/html-escape.ts';
import type { S3Options } from '../../src/objects/s3.ts';
import { freePort } from '../free-port.ts';
import { readAuthorization, type SignedRequest, sha256, signatureOf } from './aws-signature.ts';

const BUCKET = 'bodies';
const REGION = 'eu-test-1';
const ACCESS_KEY = 'TESTACCESSKEY';
const SECRET_KEY = 'known-only-to-the-tests-and-their-storage';
/** S3's limits. */
const MAX_CLOCK_SKEW_MS = 15 * 60_000;
const MAX_KEYS_IN_LISTING = 1_000;

/** A storage that speaks as much of S3 as the service uses. Its objects outlive its stops. */
export interface S3Server extends AsyncDisposable {
  readonly config: Omit<S3Options, 'clock'>;
  /** Ends it without a word, as a power cut would. */
  stop(): Promise<void>;
  /** Starts it again, where it was. */
  start(): Promise<void>;
}

export async function startS3Server(): Promise<S3Server> {
  const bucket = new Map<string, Buffer>();
  const port = await freePort();
  let running: Server | null = await listen(bucket, port);
  const stop = async () => {
    const server = running;
    running = null;
    if (server === null) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return {
    config: {
      endpoint: `127.0.0.1:${port}`,
      isSecure: false,
      region: REGION,
      bucket: BUCKET,
      accessKey: ACCESS_KEY,
      secretKey: SECRET_KEY,
      timeoutSeconds: 5,
    },
    stop,
    async start() {
      running ??= await listen(bucket, port);
    },
    [Symbol.asyncDispose]: stop,
  };
}

async function listen(bucket: Map<string, Buffer>, port: number): Promise<Server> {
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    // The connection was lost before the request was complete.
    if (body === null) return;
    const { status, content } = answerTo(request, body, bucket);
    response.writeHead(status, { 'Content-Length': content.length }).end(content);
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return server;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
    return Buffer.concat(chunks);
  } catch {
    return null;
  }
}

interface Answer {
  readonly status: number;
  readonly content: Buffer;
}

function answerTo(message: IncomingMessage, body: Buffer, bucket: Map<string, Buffer>): Answer {
  const { method = '', url = '', headers } = message;
  const refusal = refusalOf({ method, url, headers }, body);
  if (refusal !== null) return refusal;
  const { pathname, searchParams } = new URL(url, 'http://storage');
  const [, name, ...rest] = pathname.split('/');
  if (name !== BUCKET) return failure(404, 'NoSuchBucket');
  const key = decodeURIComponent(rest.join('/'));
  if (key === '') return method === 'GET' ? listing(bucket, searchParams) : failure(405, 'MethodNotAllowed');
  if (method === 'PUT') {
    bucket.set(key, body);
    return success('');
  }
  if (method === 'DELETE') {
    bucket.delete(key);
    return { status: 204, content: Buffer.alloc(0) };
  }
  if (method !== 'GET') return failure(405, 'MethodNotAllowed');
  const object = bucket.get(key);
  return object === undefined ? failure(404, 'NoSuchKey') : { status: 200, content: object };
}

/** Null where the request was signed by the one who has the key, for this place and time, with this body. */
function refusalOf(request: SignedRequest, body: Buffer): Answer | null {
  const { headers } = request;
  const claim = readAuthorization(request);
  if (claim === null) return failure(403, 'AccessDenied');
  if (claim.accessKey !== ACCESS_KEY) return failure(403, 'InvalidAccessKeyId');
  const date = String(headers['x-amz-date']);
  const at = Date.parse(date.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'));
  // Written so that no date at all is refused as well.
  if (!(Math.abs(Date.now() - at) <= MAX_CLOCK_SKEW_MS)) return failure(403, 'RequestTimeTooSkewed');
  if (claim.scope !== `${date.slice(0, 8)}/${REGION}/s3/aws4_request`) {
    return failure(400, 'AuthorizationHeaderMalformed');
  }
  const signed = claim.signedHeaders.split(';');
  const mustBeSigned = Object.keys(headers).filter((name) => name === 'host' || name.startsWith('x-amz-'));
  if (mustBeSigned.some((name) => !signed.includes(name))) return failure(403, 'AccessDenied');
  if (claim.signature !== signatureOf(request, claim, SECRET_KEY)) {
    return failure(403, 'SignatureDoesNotMatch');
  }
  if (headers['x-amz-content-sha256'] !== sha256(body)) return failure(400, 'XAmzContentSHA256Mismatch');
  return null;
}

function listing(bucket: Map<string, Buffer>, parameters: URLSearchParams): Answer {
  if (parameters.get('list-type') !== '2') return failure(400, 'InvalidArgument');
  const prefix = parameters.get('prefix') ?? '';
  const after = parameters.get('start-after') ?? '';
  const found = [...bucket.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
  const page = found.slice(0, MAX_KEYS_IN_LISTING);
  const contents = page.map((key) => `<Contents><Key>${escapeHtml(key)}</Key></Contents>`).join('');
  return success(
    `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult><IsTruncated>${page.length < found.length}</IsTruncated>${contents}</ListBucketResult>`,
  );
}

function success(content: string): Answer {
  return { status: 200, content: Buffer.from(content) };
}

function failure(status: number, code: string): Answer {
  const xml = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${code}</Message></Error>`;
  return { status, content: Buffer.from(xml) };
}
