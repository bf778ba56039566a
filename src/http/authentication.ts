import { AppError } from '../domain/errors.ts';
import { API_KEY_LENGTH, isAccountToken } from '../domain/people/api-key.ts';
import { isAllowed, isGranted, type Permission } from '../domain/people/permission.ts';
import { equalInConstantTime } from '../lib/vault.ts';
import { type Actor, authenticate, type KeyDeps, requirePermission } from '../services/core/actor.ts';
import { requireOnAccount } from '../services/people/account-actor.ts';
import { authenticateToken, enterByToken, type TokenHolder } from '../services/people/tokens.ts';
import { type JsonObject, parseJsonBody } from '../wire/api/body.ts';
import type { AddressLimit } from './address-limit.ts';
import { BodyReader } from './body-reader.ts';
import { API_BODY_LIMIT, MAX_KEYLESS_BODY_BYTES } from './limits.ts';
import { isUuid } from './path-segments.ts';
import { type RateLimit, tokensFor } from './rate-limit.ts';
import type { HttpRequest } from './request.ts';
import type {
  AccountTokenOperation,
  AccountTokenRequest,
  ApiKeyOperation,
  ApiRequest,
  ProjectTokenOperation,
  ScrapeKeyOperation,
} from './route.ts';

/** The caller and the body of a request. */
type Call = Pick<ApiRequest, 'actor' | 'body'>;

/** Limits for requests of programs. */
export interface CallerLimits {
  /** Requests without a valid key. */
  readonly address: AddressLimit;
  /** All keys of one project together. */
  readonly project: RateLimit;
  /** All keys of all projects that one account owns. */
  readonly owner: RateLimit;
  /** All tokens of one account together. */
  readonly tokens: RateLimit;
}

/** Identifies the caller from the key or the token in a request. */
export class Callers {
  readonly #deps: KeyDeps;
  readonly #limits: CallerLimits;
  readonly #addressLimit: AddressLimit;

  constructor(deps: KeyDeps, limits: CallerLimits) {
    this.#deps = deps;
    this.#limits = limits;
    this.#addressLimit = limits.address;
  }

  /** Counts a request that needs no key. Refuses it when there were too many. */
  admitAnybody(request: HttpRequest): void {
    const refusal = this.#addressLimit.take(request);
    if (refusal !== null) throw refusal;
  }

  /**
   * Returns the caller with this API key or token, and the body. The contract sets the order of errors: body (400), then key
   * (401). The rate (429) is checked as soon as the key is known, and again when the length of the body is known,
   * before the body is parsed.
   */
  async ofApi(operation: ApiKeyOperation, request: HttpRequest): Promise<Call> {
    if (request.method === 'POST')
      return this.#addressLimit.identify(request, (markKnown) => this.#ofPost(operation, request, markKnown));
    const actor = await this.#addressLimit.identify(request, (markKnown) =>
      this.#enter(keyInHeaders(request) ?? '', 1, operation.permission, request, markKnown),
    );
    return { actor, body: NO_BODY };
  }

  async #ofPost(
    { permission, acceptsNullBody = false }: ApiKeyOperation,
    request: HttpRequest,
    markKnown: () => void,
  ): Promise<Call> {
    const enter = (key: string, tokens = 1) => this.#enter(key, tokens, permission, request, markKnown);
    const header = keyInHeaders(request);
    // A header takes precedence over the body, even if it is empty.
    const byHeader = header === undefined ? null : await refusalOr(enter(header));
    const known = byHeader instanceof AppError ? null : byHeader;
    const reader = bodyReader(request, known !== null);
    const refusal = byHeader ?? new AppError('missing_api_key');
    const bytes = await reader.whole.catch((error: unknown) => {
      const isLongForStranger = isTooLarge(error) && refusal instanceof AppError && !claimsTooMuch(request);
      throw isLongForStranger ? refusal : error;
    });
    const tokens = tokensFor(bytes.length);
    if (known !== null) await this.#takeRest(known, tokens);
    const body = parseJsonBody(bytes, { acceptsNullBody });
    // Only a POST that changes something may carry the key in its body.
    const mayBeInBody = !isGranted('read_only_key', permission);
    const key = mayBeInBody && typeof body.api_key === 'string' ? body.api_key : '';
    const actor = byHeader ?? (await enter(key, tokens));
    if (actor instanceof AppError) throw actor;
    return { actor, body };
  }

  async #enter(
    key: string,
    tokens: number,
    permission: Permission,
    request: HttpRequest,
    markKnown: () => void,
  ): Promise<Actor> {
    if (isAccountToken(key)) {
      const holder = await this.#holderOf(key, request, markKnown, tokens);
      const actor = await enterByToken(this.#deps, holder, projectNamedBy(request));
      requirePermission(actor, permission);
      return actor;
    }
    const actor = await authenticate(this.#deps, key, request.ip);
    markKnown();
    requirePermission(actor, permission);
    await this.#take(actor, tokens);
    return actor;
  }

  /** Counts the tokens of a body beyond the first one. */
  #takeRest(actor: Actor, tokens: number): Promise<void> {
    const { caller } = actor;
    return caller.kind === 'account_token'
      ? this.#limits.tokens.take(caller.accountId, tokens, 1)
      : this.#take(actor, tokens, 1);
  }

  /** Counts a request with a key. The project comes first: its refusals take nothing from other projects. */
  async #take({ projectId, ownerId }: Actor, tokens: number, paid = 0): Promise<void> {
    const { project, owner } = this.#limits;
    await project.take(projectId, tokens, paid);
    if (ownerId !== null) await owner.take(ownerId, tokens, paid);
  }

  /** The holder of a token, for operations that concern no single project. */
  async ofAccountToken(
    { permission }: AccountTokenOperation,
    request: HttpRequest,
  ): Promise<Pick<AccountTokenRequest, 'actor' | 'body'>> {
    const holder = await this.#requireHolder(request);
    requireOnAccount(holder, permission);
    const body = await this.#bodyOf(holder, request);
    const actor = await this.#stillHolder(holder, request);
    requireOnAccount(actor, permission);
    return { actor, body };
  }

  /** The holder of a token in the project. Without a role in it, the project does not exist for them. */
  async ofProjectToken(
    { permission }: ProjectTokenOperation,
    request: HttpRequest,
    projectUuid: string,
  ): Promise<Call> {
    const enter = async (holder: TokenHolder) => {
      const actor = await enterByToken(this.#deps, holder, projectUuid);
      requirePermission(actor, permission);
      return actor;
    };
    const holder = await this.#requireHolder(request);
    await enter(holder);
    const body = await this.#bodyOf(holder, request);
    return { actor: await enter(await this.#stillHolder(holder, request)), body };
  }

  /** Looks again after a body was read. A body may be held back until its sender has lost their rights. */
  async #stillHolder(holder: TokenHolder, request: HttpRequest): Promise<TokenHolder> {
    if (request.method !== 'POST') return holder;
    return authenticateToken(this.#deps, keyInHeaders(request) ?? '', request.ip);
  }

  #requireHolder(request: HttpRequest): Promise<TokenHolder> {
    return this.#addressLimit.identify(request, async (markKnown) => {
      const token = keyInHeaders(request) ?? '';
      if (token.length === API_KEY_LENGTH && !isAccountToken(token)) throw new AppError('wrong_api_key');
      return this.#holderOf(token, request, markKnown, 1);
    });
  }

  async #holderOf(
    token: string,
    { ip }: HttpRequest,
    markKnown: () => void,
    tokens: number,
  ): Promise<TokenHolder> {
    const holder = await authenticateToken(this.#deps, token, ip);
    markKnown();
    await this.#limits.tokens.take(holder.accountId, tokens);
    return holder;
  }

  /** The JSON body of a POST. A long one counts as several requests, before it is parsed. */
  async #bodyOf({ accountId }: TokenHolder, request: HttpRequest): Promise<JsonObject> {
    if (request.method !== 'POST') return {};
    const bytes = await bodyReader(request, true).whole;
    await this.#limits.tokens.take(accountId, tokensFor(bytes.length), 1);
    return parseJsonBody(bytes);
  }

  /** Returns the caller with the key that Prometheus sends. Its clients know the errors from the reference. */
  ofScrape(
    { auth, permission }: ScrapeKeyOperation,
    request: HttpRequest,
    { key: inPath = '' }: Readonly<Record<string, string>>,
  ): Promise<Actor> {
    return this.#addressLimit.identify(request, async (markKnown) => {
      const key = auth === 'path_key' ? inPath : bearerToken(request.headers.authorization);
      if (key === null) throw new AppError('missing_api_key');
      if (key.length !== API_KEY_LENGTH) throw new AppError('malformed_scrape_key');
      const actor = await refusalOr(authenticate(this.#deps, key, request.ip));
      if (actor instanceof AppError) throw new AppError('wrong_scrape_key');
      markKnown();
      if (!isAllowed(actor.caller, permission)) throw new AppError('wrong_scrape_key');
      return actor;
    });
  }

  /** The key is in a header of its own, or is the bearer token that Prometheus can send. */
  requireMetricsKey(request: HttpRequest, metricsKey: string | null): Promise<void> {
    return this.#addressLimit.identify(request, async (markKnown) => {
      const { headers } = request;
      const presented = headers['x-metrics-key'] ?? bearerToken(headers.authorization) ?? '';
      if (metricsKey === null || !equalInConstantTime(String(presented), metricsKey))
        throw new AppError('wrong_metrics_key');
      markKnown();
    });
  }
}

const BEARER = 'Bearer ';
const NO_BODY: JsonObject = {};

/** The key in `X-Api-Key`, or a token of an account in `Authorization`. A key of a project is not taken from there. */
function keyInHeaders({ headers }: HttpRequest): string | undefined {
  const header = headers['x-api-key'];
  if (header !== undefined) return String(header);
  const bearer = bearerToken(headers.authorization);
  return bearer !== null && isAccountToken(bearer) ? bearer : undefined;
}

/** The project in which a token is used. */
function projectNamedBy({ headers }: HttpRequest): string {
  const named = headers['x-project'];
  if (named === undefined) throw new AppError('missing_project');
  const uuid = String(named).toLowerCase();
  if (!isUuid(uuid)) throw new AppError('project_not_found');
  return uuid;
}

/** The token of an `Authorization` header, in the spelling of this API's clients. Null if there is none. */
function bearerToken(authorization: string | undefined): string | null {
  return authorization?.startsWith(BEARER) ? authorization.slice(BEARER.length) : null;
}

/** Without a known key the body may only be long enough to contain the key, and it counts in a budget of its own. */
function bodyReader({ raw, response, context }: HttpRequest, isKnown: boolean): BodyReader {
  const { bodyBudget, keylessBodyBudget } = context;
  if (isKnown) return new BodyReader(raw, response, API_BODY_LIMIT, bodyBudget);
  return new BodyReader(raw, response, MAX_KEYLESS_BODY_BYTES, keylessBodyBudget);
}

/**
 * Returns the error of a missing or wrong key, which is reported later, after errors of the body. Throws other errors
 * at once.
 */
async function refusalOr(entering: Promise<Actor>): Promise<Actor | AppError> {
  try {
    return await entering;
  } catch (error) {
    if (error instanceof AppError && (error.code === 'missing_api_key' || error.code === 'wrong_api_key')) {
      return error;
    }
    throw error;
  }
}

function isTooLarge(error: unknown): boolean {
  return error instanceof AppError && error.code === 'body_too_large';
}

/** Whether the declared length exceeds the limit for all callers. This error is reported even without a valid key. */
function claimsTooMuch({ headers }: HttpRequest): boolean {
  return Number(headers['content-length'] ?? 0) > API_BODY_LIMIT;
}
