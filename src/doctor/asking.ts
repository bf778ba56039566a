import { request as askPlainly, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as askSecurely, type RequestOptions } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { DoctorAnswer } from '../wire/api/doctor-answer.ts';
import type { Names } from './names.ts';

export interface Question {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Writes the body and ends the request. Absent: there is none. */
  readonly send?: (request: ClientRequest) => Promise<void>;
  /** Called with the first bytes of the answer's body. It may end the answer. */
  readonly onFirstBytes?: (response: IncomingMessage) => void;
}

export interface Asked {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** Our end of the connection. */
  readonly localPort: number;
  /** The last moment at which the certificate is valid. Null without one. */
  readonly certificateUntil: Date | null;
}

/** Why there is no answer, as a code of the system or of TLS, or in words. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  /** Whether the certificate is not accepted. */
  readonly isCertificate: boolean;

  constructor(error: unknown) {
    super(reasonOf(error), { cause: error });
    this.isCertificate = error instanceof Error && 'code' in error && isOfCertificate(String(error.code));
  }
}

/** More of an answer is not read. */
const MAX_ANSWER = 64 * 1024;

/** Sends a request on a connection of its own, and follows no redirect. Throws `NoAnswer`. */
export async function ask(
  url: string,
  names: Pick<Names, 'addresses'>,
  signal: AbortSignal,
  { method = 'GET', headers = {}, send, onFirstBytes }: Question = {},
): Promise<Asked> {
  const options: RequestOptions = {
    method,
    headers: { 'user-agent': 'tocsin-doctor', ...headers },
    agent: false,
    signal,
    lookup: lookUpBy(names),
  };
  const request = (url.startsWith('https:') ? askSecurely : askPlainly)(url, options);
  const { promise, resolve, reject } = Promise.withResolvers<Asked>();
  request.once('error', (error) => reject(new NoAnswer(error)));
  request.once('response', (response) => {
    const { socket } = response;
    const head = {
      status: response.statusCode ?? 0,
      headers: response.headers,
      localPort: socket.localPort ?? 0,
      certificateUntil: socket instanceof TLSSocket ? new Date(socket.getPeerCertificate().valid_to) : null,
    };
    let body = '';
    response.setEncoding('utf8');
    response.once('data', () => onFirstBytes?.(response));
    response.on('data', (text: string) => {
      if (body.length < MAX_ANSWER) body += text;
    });
    const end = () => resolve({ ...head, body });
    response.once('end', end);
    response.once('close', end);
    response.once('error', (error) => reject(new NoAnswer(error)));
  });
  try {
    if (send === undefined) request.end();
    else send(request).catch(() => undefined);
    return await promise;
  } finally {
    request.destroy();
  }
}

/** The answer of the service. Null if the text is something else. */
export function readDoctorAnswer(text: string): DoctorAnswer | null {
  try {
    const read: unknown = JSON.parse(text);
    // Whoever has made the proof is the service, and writes what its type says.
    return typeof read === 'object' && read !== null && 'proof' in read && typeof read.proof === 'string'
      ? (read as DoctorAnswer)
      : null;
  } catch {
    return null;
  }
}

function lookUpBy(names: Pick<Names, 'addresses'>): LookupFunction {
  return (host, { all = false }, done) => {
    names.addresses(host).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = found;
        if (first === undefined) done(new Error(`${host} has no address`), '');
        else if (all) done(null, found);
        else done(null, first.address, first.family);
      },
      (error: Error) => done(error, ''),
    );
  };
}

function isOfCertificate(code: string): boolean {
  return /CERT|SIGNATURE|ALTNAME/.test(code);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  return error.message;
}
