import { REFUSING } from '../../domain/vitals.ts';
import { deliveryOfCallback, reportDelivery } from '../../services/alert/callbacks.ts';
import type { Deps } from '../../services/core/deps.ts';
import type { Reads } from '../../services/core/reads.ts';
import { progress } from '../../services/instance/health.ts';
import type { Vitals } from '../../services/instance/vitals.ts';
import { parseLateVerdict } from '../../wire/api/callback-input.ts';
import { metricsJson } from '../../wire/api/metrics-output.ts';
import { readinessJson } from '../../wire/api/readiness-output.ts';
import { API_VERSIONS } from '../../wire/api/version.ts';
import { INSTANCE_METRICS_TYPE, instanceText } from '../../wire/metrics/instance.ts';
import * as docs from '../../wire/openapi/operations/instance.ts';
import { ALIVE, PLAIN_TEXT } from '../door.ts';
import { UUID_PATTERN } from '../path-segments.ts';
import {
  type MetricsKeyOperation,
  type OpenOperation,
  type Route,
  type RouteOperation,
  SAFE_METHODS,
} from '../route.ts';

/** Routes of the whole instance, which take no API key: its health, and callbacks of providers. */
export function instanceRoutes(
  deps: Deps,
  { metricsKey, vitals, reads }: { metricsKey: string | null; vitals: Vitals; reads: Reads },
): Route[] {
  const read = (path: string, operation: RouteOperation): Route => ({
    path,
    cors: false,
    likeGet: SAFE_METHODS,
    operations: { GET: operation },
  });
  return [
    { ...read('/status/', status(vitals)), versions: API_VERSIONS },
    { ...read('/ready/', readiness(vitals)), versions: API_VERSIONS },
    { ...read('/accepts/', accepts(vitals)), versions: API_VERSIONS },
    { ...read('/live/', live), versions: API_VERSIONS },
    { ...read('/metrics/', metrics(deps, metricsKey, reads)), versions: API_VERSIONS },
    {
      path: `/notifications/:callback(${UUID_PATTERN})/status`,
      versions: API_VERSIONS,
      cors: false,
      operations: { POST: callback(deps) },
    },
    // The default path of Prometheus.
    read('/metrics', scrape(vitals, metricsKey)),
  ];
}

/** Whether the database answers, for monitoring of this instance. */
function status(vitals: Vitals): OpenOperation {
  return {
    auth: 'none',
    doc: docs.getStatus,
    isUnlimited: true,
    async handle({ log }) {
      try {
        await vitals.probeDatabase();
        return { status: 200, text: 'OK', contentType: 'text/html; charset=utf-8' };
      } catch (error) {
        // Clients know 500 here for every problem of the database, also while it restarts.
        log().warn({ event: 'database.unreachable', err: error });
        return { status: 500, json: { error: 'the database does not answer' } };
      }
    },
  };
}

/** Whether alerts are sent in time, for monitoring of this instance. */
function readiness(vitals: Vitals): OpenOperation {
  return {
    auth: 'none',
    doc: docs.getReadiness,
    isUnlimited: true,
    async handle() {
      const reasons = await vitals.ailments();
      const isReady = reasons.length === 0;
      const headers = { 'cache-control': 'no-store' };
      return { status: isReady ? 200 : 503, headers, json: readinessJson(reasons) };
    },
  };
}

/** Whether a ping would be acknowledged, for load balancers. */
function accepts(vitals: Vitals): OpenOperation {
  return {
    auth: 'none',
    doc: docs.getAcceptance,
    isUnlimited: true,
    async handle() {
      const reasons = (await vitals.ailments()).filter((ailment) => REFUSING.includes(ailment));
      const headers = { 'cache-control': 'no-store' };
      if (reasons.length === 0) return { status: 200, headers, text: 'yes', contentType: PLAIN_TEXT };
      return { status: 503, headers, text: reasons.join(', '), contentType: PLAIN_TEXT };
    },
  };
}

/** Whether the process runs. During the start, the door gives the same answer. */
const live: OpenOperation = {
  auth: 'none',
  doc: docs.getLiveness,
  isUnlimited: true,
  async handle() {
    return { status: 200, headers: { 'cache-control': 'no-store' }, text: ALIVE, contentType: PLAIN_TEXT };
  },
};

function metrics(deps: Deps, metricsKey: string | null, reads: Reads): MetricsKeyOperation {
  return {
    auth: 'metrics_key',
    doc: docs.getMetrics,
    metricsKey,
    async handle() {
      const { head } = await reads.ask(progress, null);
      return { status: 200, json: metricsJson(head, deps.clock.now()) };
    },
  };
}

function scrape(vitals: Vitals, metricsKey: string | null): MetricsKeyOperation {
  return {
    auth: 'metrics_key',
    doc: docs.scrapeInstance,
    metricsKey,
    async handle() {
      return { status: 200, text: instanceText(await vitals.measure()), contentType: INSTANCE_METRICS_TYPE };
    },
  };
}

/** Always answers 200, so that nobody can find out which deliveries exist. Reads the form only for a valid address. */
function callback(deps: Deps): OpenOperation {
  return {
    auth: 'public_token',
    doc: docs.reportDelivery,
    body: { read: 'whole' },
    async handle({ params, readBody }) {
      const delivery = deliveryOfCallback(deps, params.callback ?? '');
      const verdict = delivery && parseLateVerdict(await readBody());
      if (delivery !== null && verdict !== null) await reportDelivery(deps, delivery, verdict);
      return { status: 200 };
    },
  };
}
