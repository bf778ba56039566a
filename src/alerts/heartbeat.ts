import type { Logger } from 'pino';
import type { HttpClient } from '../lib/http-client.ts';
import type { Vitals } from '../services/instance/vitals.ts';

export interface HeartbeatOptions {
  /** This is a secret: it appears in no log. */
  readonly url: string;
  readonly intervalSeconds: number;
  readonly log: Logger;
}

/**
 * Pings another monitor while this node is healthy. When it is not, it sends nothing: the other monitor alerts on
 * silence, whether the node is unhealthy, hangs or is gone.
 */
export class Heartbeat {
  readonly #vitals: Pick<Vitals, 'ailments'>;
  readonly #http: Pick<HttpClient, 'send'>;
  readonly #options: HeartbeatOptions;
  #isWithheld = false;

  constructor(vitals: Pick<Vitals, 'ailments'>, http: Pick<HttpClient, 'send'>, options: HeartbeatOptions) {
    this.#vitals = vitals;
    this.#http = http;
    this.#options = options;
  }

  /** Returns the milliseconds until the next call. */
  async tick(): Promise<number> {
    const { log, url, intervalSeconds } = this.#options;
    const ailments = await this.#vitals.ailments();
    if (ailments.length > 0) {
      if (!this.#isWithheld) log.error({ event: 'heartbeat.withheld', ailments });
      this.#isWithheld = true;
      return intervalSeconds * 1000;
    }
    this.#isWithheld = false;
    const result = await this.#http.send({ method: 'GET', url, headers: {}, body: null });
    const reason = 'error' in result ? result.error : refusalOf(result.status);
    if (reason !== null) log.warn({ event: 'heartbeat.not_taken', reason });
    return intervalSeconds * 1000;
  }
}

function refusalOf(status: number): string | null {
  return status >= 200 && status < 300 ? null : `Received status code ${status}`;
}
