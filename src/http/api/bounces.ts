import { MAX_REPORT_SCAN } from '../../lib/mime/delivery-report.ts';
import { type BounceOutcome, receiveBounce } from '../../services/alert/bounces.ts';
import type { Deps } from '../../services/core/deps.ts';
import { API_VERSIONS } from '../../wire/api/version.ts';
import * as docs from '../../wire/openapi/operations/instance.ts';
import type { DrainLimits } from '../ping/request-body.ts';
import type { OpenOperation, Route } from '../route.ts';

/** A mail server accepts as much, within the time of most requests. For a longer body the connection is closed. */
const DRAIN_LIMITS: DrainLimits = { bytes: 32 * 1024 * 1024, millis: 20_000, totalMillis: 20_000 };

const ANSWERS: Readonly<Record<BounceOutcome, string>> = {
  recorded: 'OK',
  bad_signature: 'OK (bad signature)',
  ignored: 'OK (ignored)',
  delivery_not_found: 'OK (notification not found)',
  account_not_found: 'OK (user not found)',
};

/**
 * A mail server posts returned mail here. The answer is always 200: the server cannot correct the mail, and must not
 * keep it and try again.
 */
export function bounceRoute(deps: Deps): Route {
  const report: OpenOperation = {
    auth: 'none',
    doc: docs.reportBounce,
    body: { read: 'beginning', maxBytes: MAX_REPORT_SCAN, drainLimits: DRAIN_LIMITS },
    async handle({ readBody }) {
      const outcome = await receiveBounce(deps, await readBody());
      return { status: 200, text: ANSWERS[outcome], contentType: 'text/html; charset=utf-8' };
    },
  };
  return { path: '/bounces/', versions: API_VERSIONS, cors: false, operations: { POST: report } };
}
