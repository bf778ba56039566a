import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  type FetchBody,
  fetchUserInfo,
  None,
  ResponseBodyError,
} from 'openid-client';
import type { Clock } from './clock.ts';
import type { HttpRequest, HttpResult } from './http-client.ts';
import { type Micros, seconds } from './instant.ts';

/** The registration of an application at a provider of OpenID Connect. */
export interface OpenIdSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Null for a client without a secret. */
  readonly clientSecret: string | null;
  /** Separated by spaces. */
  readonly scopes: string;
  /** The address to which the provider sends people back. */
  readonly redirectUri: string;
}

/** Secrets of the browser, kept while a person is at the provider. */
export interface OpenIdSecrets {
  readonly state: string;
  readonly nonce: string;
  /** Proves to the provider that the code is used by the program that asked for it (PKCE). */
  readonly verifier: string;
}

/** The provider's claims about a person, after all checks. Issuer and subject together identify the person for good. */
export interface OpenIdClaims {
  readonly issuer: string;
  readonly subject: string;
  readonly others: Readonly<Record<string, unknown>>;
}

/**
 * The reason for a failed sign-in. The message is for the log, and has no secrets. `unavailable`: the provider does not
 * work for anybody. `refused`: it has not confirmed the identity of the person.
 */
export class OpenIdFailure extends Error {
  override readonly name = 'OpenIdFailure';
  readonly kind: 'unavailable' | 'refused';

  constructor(kind: OpenIdFailure['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** After this time the description of the provider, and its keys, are read again. */
export const OPENID_METADATA_SPAN: Micros = seconds(3_600);
/** For each of the up to four requests of a sign-in, so that all of them fit into one request of a browser. */
export const OPENID_TIMEOUT_MS = 5_000;

type Send = (request: HttpRequest) => Promise<HttpResult>;

/**
 * Asks a provider of OpenID Connect who a person is, by the authorization code flow with PKCE. Nothing is asked before the
 * first person signs in, so that a provider which is away hinders nobody else.
 */
export class OpenIdClient {
  readonly #settings: OpenIdSettings;
  readonly #send: Send;
  readonly #clock: Pick<Clock, 'now'>;
  #known: { readonly configuration: Configuration; readonly at: number } | null = null;
  #asking: Promise<Configuration> | null = null;

  constructor(settings: OpenIdSettings, send: Send, clock: Pick<Clock, 'now'>) {
    this.#settings = settings;
    this.#send = send;
    this.#clock = clock;
  }

  /** The address to which the browser goes. `asksAgain` demands a new proof even of somebody whom the provider knows. */
  async address(
    { state, nonce, verifier }: OpenIdSecrets,
    { asksAgain }: { readonly asksAgain: boolean },
  ): Promise<string> {
    const configuration = await this.#configuration();
    const url = buildAuthorizationUrl(configuration, {
      redirect_uri: this.#settings.redirectUri,
      scope: this.#settings.scopes,
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(asksAgain && { prompt: 'login', max_age: '0' }),
    });
    return url.href;
  }

  /**
   * Exchanges the code in the provider's answer, which is the query of the address to which the browser came back. `wanted`
   * are claims that are asked for separately where the answer has not all of them. With `provedWithin` the person must
   * have given a proof to the provider within this many seconds.
   */
  async identify(
    answer: URLSearchParams,
    { state, nonce, verifier }: OpenIdSecrets,
    { wanted, provedWithin }: { readonly wanted: readonly string[]; readonly provedWithin: number | null },
  ): Promise<OpenIdClaims> {
    const configuration = await this.#configuration();
    try {
      const url = new URL(this.#settings.redirectUri);
      url.search = answer.toString();
      const tokens = await authorizationCodeGrant(configuration, url, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
        ...(provedWithin !== null && { maxAge: provedWithin }),
      });
      const claims = tokens.claims();
      if (claims === undefined) throw new OpenIdFailure('refused', 'there is no ID token');
      const isComplete = wanted.every((name) => claims[name] !== undefined);
      const more =
        isComplete || configuration.serverMetadata().userinfo_endpoint === undefined
          ? {}
          : await fetchUserInfo(configuration, tokens.access_token, claims.sub);
      return { issuer: claims.iss, subject: claims.sub, others: { ...more, ...claims } };
    } catch (error) {
      throw failureOf(error, 'refused');
    }
  }

  async #configuration(): Promise<Configuration> {
    const known = this.#known;
    if (known !== null && this.#clock.now() - known.at < OPENID_METADATA_SPAN) return known.configuration;
    // Everybody who comes meanwhile waits for the same answer.
    this.#asking ??= this.#discover().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async #discover(): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.#settings;
    const at = this.#clock.now();
    const url = new URL(issuer);
    try {
      const configuration = await discovery(url, clientId, undefined, authenticationWith(clientSecret), {
        [customFetch]: (address, options) => this.#fetch(address, options),
        timeout: OPENID_TIMEOUT_MS / 1_000,
        // The operator has chosen the address. The signature is checked in any case.
        execute: [enableNonRepudiationChecks, ...(url.protocol === 'http:' ? [allowInsecureRequests] : [])],
      });
      this.#known = { configuration, at };
      return configuration;
    } catch (error) {
      throw failureOf(error, 'unavailable');
    }
  }

  async #fetch(
    url: string,
    { method, headers, body, signal }: Omit<RequestInit, 'body'> & { readonly body?: FetchBody },
  ): Promise<Response> {
    const result = await this.#send({
      method: method ?? 'GET',
      url,
      headers: Object.fromEntries(new Headers(headers)),
      body: body === undefined || body === null ? null : String(body),
      ...(signal && { signal }),
    });
    if ('error' in result) throw new OpenIdFailure('unavailable', result.error);
    const { status } = result;
    if (status >= 500 || status === 429) throw new OpenIdFailure('unavailable', `it answers ${status}`);
    return new Response(HAVE_NO_BODY.has(status) ? null : Uint8Array.from(result.body), {
      status,
      headers: result.headers,
    });
  }
}

const HAVE_NO_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** Sends the secret in the header, the standard's default, unless the provider only accepts it in the body. */
function authenticationWith(secret: string | null): ClientAuth {
  if (secret === null) return None();
  const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
}

/** The failure in an error of the library. Its causes may have tokens, so that only messages are kept. */
function failureOf(error: unknown, kind: OpenIdFailure['kind']): OpenIdFailure {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof OpenIdFailure) return cause;
  const messages = [error, error instanceof Error ? error.cause : undefined].flatMap((one) =>
    one instanceof Error ? one.message : [],
  );
  // The code of the provider, such as `invalid_grant`.
  if (error instanceof ResponseBodyError || error instanceof AuthorizationResponseError)
    messages.push(error.error.slice(0, 100));
  return new OpenIdFailure(kind, messages.join(': ') || 'unknown');
}
