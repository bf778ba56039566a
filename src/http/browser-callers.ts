import type { CheckRef } from '../domain/check/check.ts';
import { AppError } from '../domain/errors.ts';
import { requirePermission } from '../services/core/actor.ts';
import { type AccountActor, requireOnAccount } from '../services/people/account-actor.ts';
import type { Client } from '../services/people/client.ts';
import type { AccountDeps } from '../services/people/deps.ts';
import { enterByCheck, enterProject } from '../services/people/own-projects.ts';
import { findSignedIn, noteUse, type SignedIn } from '../services/people/sessions.ts';
import { RemoteUsers } from '../services/sign-up/remote-user.ts';
import { type JsonObject, parseJsonBody } from '../wire/api/body.ts';
import { Cookies, readCookies } from '../wire/dashboard/cookies.ts';
import type { Site } from '../wire/site.ts';
import type { AddressLimit } from './address-limit.ts';
import { BodyReader } from './body-reader.ts';
import { API_BODY_LIMIT, MAX_KEYLESS_BODY_BYTES } from './limits.ts';
import { type RateLimit, tokensFor } from './rate-limit.ts';
import { RemoteUserHeaders } from './remote-user-headers.ts';
import type { HttpRequest } from './request.ts';
import type {
  CheckOperation,
  CheckRequest,
  MemberOperation,
  MemberRequest,
  SessionOperation,
  SessionRequest,
  VisitorRequest,
} from './route.ts';
import { requireSameOrigin } from './same-origin.ts';

type Visitor = Pick<VisitorRequest, 'client' | 'token' | 'body' | 'log'>;
type Person = Pick<SessionRequest, 'client' | 'token' | 'body' | 'log' | 'signedIn' | 'stillSignedIn'>;
type MemberInProject = Person & Pick<MemberRequest, 'actor'>;
type MemberOnCheck = Person & Pick<CheckRequest, 'actor' | 'check'>;

/** Limits for requests of browsers. */
interface Limits {
  /** Requests without a valid session. */
  readonly address: AddressLimit;
  /** All sessions of one account together. */
  readonly account: RateLimit;
}

/** Identifies the caller by the cookies of the browser, or by the headers of a trusted proxy. */
export class BrowserCallers {
  readonly #deps: AccountDeps;
  readonly #siteOrigin: string;
  readonly #cookies: Cookies;
  readonly #limits: Limits;
  /** Null where no proxy says who people are. */
  readonly #proxied: { readonly headers: RemoteUserHeaders; readonly users: RemoteUsers } | null;

  constructor(deps: AccountDeps, site: Pick<Site, 'root'>, limits: Limits) {
    this.#deps = deps;
    this.#limits = limits;
    this.#siteOrigin = new URL(site.root).origin;
    this.#cookies = new Cookies(site);
    const { remoteUser } = deps.settings;
    this.#proxied = remoteUser && {
      headers: new RemoteUserHeaders(remoteUser),
      users: new RemoteUsers(deps),
    };
  }

  async visitor(request: HttpRequest): Promise<Visitor> {
    requireSameOrigin(request, this.#siteOrigin);
    const body = await readBody(request);
    return { ...this.#browserOf(request), body, log: request.log };
  }

  /** The session and the permission come first. Without them the body is not read. */
  async signedIn({ permission }: SessionOperation, request: HttpRequest): Promise<Person> {
    const person = await this.#identify(request);
    requireOnAccount(person.signedIn.actor, permission);
    const body = await this.#bodyOf(person, request);
    const { signedIn } = await this.#stillSignedIn(person, request);
    requireOnAccount(signedIn.actor, permission);
    return { ...person, signedIn, body, log: request.log, stillSignedIn: this.#askAgain(request) };
  }

  /** The caller in a project. Without a role in it, the project does not exist for them. */
  async member(
    { permission }: MemberOperation,
    request: HttpRequest,
    projectUuid: string,
  ): Promise<MemberInProject> {
    return this.#inside(request, async (person) => {
      const actor = await enterProject(this.#deps, person, projectUuid);
      requirePermission(actor, permission);
      return { actor };
    });
  }

  /** The caller on a check. Without a role in its project, the check does not exist for them. */
  async onCheck({ permission }: CheckOperation, request: HttpRequest, ref: CheckRef): Promise<MemberOnCheck> {
    return this.#inside(request, async (person) => {
      const found = await enterByCheck(this.#deps, person, ref);
      requirePermission(found.actor, permission);
      return found;
    });
  }

  /** Enters before the body is read, and again after it. */
  async #inside<Entered>(
    request: HttpRequest,
    enter: (person: AccountActor) => Promise<Entered>,
  ): Promise<Person & Entered> {
    const person = await this.#identify(request);
    await enter(person.signedIn.actor);
    const body = await this.#bodyOf(person, request);
    const { signedIn } = await this.#stillSignedIn(person, request);
    const entered = await enter(signedIn.actor);
    const stillSignedIn = this.#askAgain(request);
    return { ...person, signedIn, ...entered, body, log: request.log, stillSignedIn };
  }

  /** Looks again after a body was read. A body may be held back until its sender has lost their rights. */
  async #stillSignedIn(
    person: Pick<Person, 'signedIn'>,
    request: HttpRequest,
  ): Promise<Pick<Person, 'signedIn'>> {
    return request.method === 'POST' ? this.#find(request) : person;
  }

  #askAgain(request: HttpRequest): () => Promise<SignedIn> {
    return async () => (await this.#find(request)).signedIn;
  }

  async #identify(request: HttpRequest): Promise<Pick<Person, 'client' | 'token' | 'signedIn'>> {
    const person = await this.#limits.address.identify(request, async (markKnown) => {
      const found = await this.#find(request);
      markKnown();
      return found;
    });
    await this.#limits.account.take(person.signedIn.actor.accountId, 1);
    await noteUse(this.#deps, person.signedIn.session, person.client);
    return person;
  }

  async #find(request: HttpRequest): Promise<Pick<Person, 'client' | 'token' | 'signedIn'>> {
    requireSameOrigin(request, this.#siteOrigin);
    const { client, token } = this.#browserOf(request);
    const signedIn = await this.#findPerson(request, client, token);
    if (signedIn === null) throw new AppError('not_signed_in');
    return { client, token: token ?? '', signedIn };
  }

  async #findPerson(request: HttpRequest, client: Client, token: string | null): Promise<SignedIn | null> {
    if (this.#proxied === null) return token === null ? null : findSignedIn(this.#deps, token, client);
    const { headers, users } = this.#proxied;
    const person = headers.personIn(request);
    return person === null ? null : users.find(person, client);
  }

  /**
   * The body of a signed-in person. A long one counts as several requests, before it is parsed. Each view that the body
   * wants to be read after an act counts as one more.
   */
  async #bodyOf({ signedIn }: Pick<Person, 'signedIn'>, request: HttpRequest): Promise<JsonObject> {
    if (request.method !== 'POST') return {};
    const { raw, response, context } = request;
    const bytes = await new BodyReader(raw, response, API_BODY_LIMIT, context.bodyBudget).whole;
    const { accountId } = signedIn.actor;
    const cost = tokensFor(bytes.length);
    await this.#limits.account.take(accountId, cost, 1);
    const body = parseJsonBody(bytes);
    if (Array.isArray(body.shown)) await this.#limits.account.take(accountId, cost + body.shown.length, cost);
    return body;
  }

  #browserOf(request: HttpRequest): { client: Client; token: string | null } {
    const cookies = readCookies(request.headers.cookie);
    return {
      client: {
        address: request.ip,
        userAgent: request.headers['user-agent'] ?? '',
        device: cookies.get(this.#cookies.deviceName) ?? null,
      },
      token: cookies.get(this.#cookies.sessionName) ?? null,
    };
  }
}

/** The JSON body of a POST of anybody. Other methods have none. */
async function readBody({ method, raw, response, context }: HttpRequest): Promise<JsonObject> {
  if (method !== 'POST') return {};
  const reader = new BodyReader(raw, response, MAX_KEYLESS_BODY_BYTES, context.keylessBodyBudget);
  return parseJsonBody(await reader.whole);
}
