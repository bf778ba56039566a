import { createHash, createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export interface SignedRequest {
  readonly method: string;
  /** Path and query, as they arrived. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** The claims in the Authorization header of a request. */
export interface Authorization {
  readonly accessKey: string;
  /** Date, region, service and `aws4_request`, with slashes between them. */
  readonly scope: string;
  /** Names of the headers that are signed, with semicolons between them. */
  readonly signedHeaders: string;
  readonly signature: string;
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^\s/,]+)\/([^\s,]+), SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/;

/** Null where there is no header of this form. */
export function readAuthorization({ headers }: SignedRequest): Authorization | null {
  const match = AUTHORIZATION.exec(headers.authorization ?? '');
  if (match === null) return null;
  const [, accessKey = '', scope = '', signedHeaders = '', signature = ''] = match;
  return { accessKey, scope, signedHeaders, signature };
}

/** Signature version 4 of S3, as its description has it. */
export function signatureOf(
  request: SignedRequest,
  { signedHeaders, scope }: Pick<Authorization, 'signedHeaders' | 'scope'>,
  secretKey: string,
): string {
  const { headers } = request;
  const toSign = [
    'AWS4-HMAC-SHA256',
    headers['x-amz-date'],
    scope,
    sha256(canonical(request, signedHeaders)),
  ];
  const [date = '', ...others] = scope.split('/');
  const key = others.reduce(hmac, hmac(`AWS4${secretKey}`, date));
  return hmac(key, toSign.join('\n')).toString('hex');
}

function canonical({ method, url, headers }: SignedRequest, signedHeaders: string): string {
  const [path = '', query = ''] = url.split('?');
  const parameters = query
    .split('&')
    .filter((parameter) => parameter !== '')
    .map((parameter) => {
      const [name = '', ...value] = parameter.split('=');
      return `${encode(name)}=${encode(value.join('='))}`;
    });
  return [
    method,
    path.split('/').map(encode).join('/'),
    parameters.sort().join('&'),
    ...signedHeaders.split(';').map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    signedHeaders,
    headers['x-amz-content-sha256'],
  ].join('\n');
}

/** A storage reads what arrives and escapes it anew: all but letters, digits and four marks. */
function encode(text: string): string {
  return encodeURIComponent(decodeURIComponent(text)).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
