import { setTimeout as sleep } from 'node:timers/promises';
import type { ToldAlerting } from '../provision/export-alerting.ts';
import type { Told } from '../provision/told.ts';
import { CommandFailure } from './command.ts';
import type { Server } from './server.ts';

/** Exit codes: the server has refused, or could not be reached. */
export const REFUSED = 4;
const UNREACHED = 5;

/** The server's time for an answer. */
const ANSWER_MS = 60_000;
/** Pauses between tries, unless the server names a longer one. */
const PAUSES_MS: readonly number[] = [1_000, 2_000, 4_000];
const MAX_PAUSE_MS = 60_000;

/** A failure that may pass. */
interface Trouble {
  readonly reason: string;
  readonly pauseMs: number;
}

interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: Told | undefined;
  /** Whether it is no failure if the server has nothing there. */
  readonly mayBeMissing: boolean;
}

const isNewCheck = ({ method, path }: Pick<ApiRequest, 'method' | 'path'>): boolean =>
  method === 'POST' && path === 'checks/';

/** A project on a server with API v3, by a key of it. Every request may be repeated without harm. */
export class Api {
  readonly #server: Server;
  readonly #pause: (ms: number) => Promise<unknown>;

  constructor(server: Server, pause: (ms: number) => Promise<unknown> = (ms) => sleep(ms)) {
    this.#server = server;
    this.#pause = pause;
  }

  /** The checks of the project, with their addresses. */
  async checks(): Promise<readonly Told[]> {
    const checks = await this.#list('checks');
    if (checks.some((check) => 'unique_key' in check))
      throw new CommandFailure('The key may only read. It does not see the addresses of checks.', REFUSED);
    return checks;
  }

  /** The integrations of the project. */
  channels(): Promise<readonly Told[]> {
    return this.#list('channels');
  }

  /** How outages of the project are told, and its quiet times. Null if the server knows nothing of it. */
  async alerting(): Promise<ToldAlerting | null> {
    const alerting = await this.find('alerting/');
    if (alerting === null) return null;
    return {
      alerting,
      calendars: await this.#list('calendars'),
      policies: await this.#list('policies'),
      quietTimes: await this.#list('quiet-times'),
    };
  }

  async #list(
    what: 'checks' | 'channels' | 'calendars' | 'policies' | 'quiet-times',
  ): Promise<readonly Told[]> {
    const answer = await this.send('GET', `${what}/`);
    const rows = answer?.[what.replace('-', '_')];
    if (!Array.isArray(rows) || !rows.every(isTold))
      throw new CommandFailure(`${this.#address(`${what}/`)} does not answer as API v3 does`, UNREACHED);
    return rows;
  }

  /** Returns null if the server has nothing there. */
  find(path: string): Promise<Told | null> {
    return this.#ask({ method: 'GET', path, mayBeMissing: true });
  }

  /** Returns null if what is to be changed is gone. */
  send(method: 'GET' | 'POST' | 'DELETE', path: string, body?: Told): Promise<Told | null> {
    return this.#ask({ method, path, body, mayBeMissing: method !== 'GET' && !isNewCheck({ method, path }) });
  }

  /** A server that is busy or away is asked again. */
  async #ask(request: ApiRequest): Promise<Told | null> {
    let answer = await this.#try(request);
    for (const pauseMs of PAUSES_MS) {
      if (!('reason' in answer)) break;
      await this.#pause(Math.max(pauseMs, answer.pauseMs));
      answer = await this.#try(request);
    }
    if ('reason' in answer)
      throw new CommandFailure(`${this.#address(request.path)} ${answer.reason}`, UNREACHED);
    return answer.told;
  }

  #address(path: string): string {
    return `${this.#server.root}/api/v3/${path}`;
  }

  async #try(request: ApiRequest): Promise<{ readonly told: Told | null } | Trouble> {
    const { method, path, body, mayBeMissing } = request;
    const address = this.#address(path);
    try {
      const reply = await fetch(address, {
        method,
        headers: { 'x-api-key': this.#server.key },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        // Another host would get the key, too.
        redirect: 'manual',
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      const text = await reply.text();
      if (reply.status === 429 || reply.status >= 500)
        return { reason: `answers ${reply.status}`, pauseMs: pauseOf(reply) };
      if (reply.status === 404 && mayBeMissing) return { told: null };
      if (!reply.ok)
        throw new CommandFailure(`${address} ${refusal(reply, isNewCheck(request), text)}`, REFUSED);
      return { told: readJson(text) };
    } catch (error) {
      if (error instanceof CommandFailure) throw error;
      return { reason: `does not answer: ${reasonOf(error)}`, pauseMs: 0 };
    }
  }
}

function refusal({ status, headers }: Response, isOneMore: boolean, text: string): string {
  if (status >= 300 && status < 400) return `is elsewhere now: ${headers.get('location') ?? ''}`;
  if (status === 403 && isOneMore) return 'takes no more checks: the limit of the account is reached';
  if (status === 401 || status === 403) return 'does not accept the key';
  const error = readJson(text)?.error;
  return `answers ${status}${typeof error === 'string' ? `: ${error}` : ', and not as API v3 does'}`;
}

function readJson(text: string): Told | null {
  try {
    const json: unknown = JSON.parse(text);
    return isTold(json) ? json : null;
  } catch {
    return null;
  }
}

function isTold(value: unknown): value is Told {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function pauseOf({ headers }: Response): number {
  const seconds = Number(headers.get('retry-after') ?? 0);
  return Number.isFinite(seconds) ? Math.min(seconds * 1_000, MAX_PAUSE_MS) : 0;
}

/** The error of a connection names its cause alone. */
function reasonOf(error: unknown): string {
  const { cause, message } = error instanceof Error ? error : new Error(String(error));
  return cause instanceof Error ? ('code' in cause ? String(cause.code) : cause.message) : message;
}
