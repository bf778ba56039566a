import { isAllowed } from '../domain/people/permission.ts';
import { readNumbers } from '../domain/ping/numbers.ts';
import type { Ping } from '../domain/ping/ping.ts';
import { flag, integer } from '../lib/fields.ts';
import { toIsoMicros } from '../lib/instant.ts';
import { type PingPage, readMovedBody, readPingPage } from '../services/history/ping-page.ts';
import { lateness, pingFacts, secondsOrNull } from './event-json.ts';
import { maskFor } from './masked-text.ts';
import { bodyJson } from './ping-body.ts';
import { checkView, JsonText } from './view.ts';

/** Everything about one ping. */
export const pingPage = checkView({
  permission: 'pings.view',
  input: {
    n: integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    isWhole: flag('Whether all lines of a long body are wanted.'),
  },
  prepare: async (deps, { actor, checkId, input }) => ({
    moved: await readMovedBody(deps, actor, checkId, input.n),
    bodyLimit: deps.pingBodyLimit,
  }),
  read: async (deps, { actor, checkId, input: { n, isWhole }, prepared: { moved, bodyLimit } }) => {
    const page = await readPingPage(deps, actor, checkId, n, moved);
    const { ping, joined, flip } = page;
    const isEnd = joined.run?.endN === ping.n;
    const seesAddresses = isAllowed(actor.caller, 'checks.view_addresses');
    const shown = {
      ...pingFacts(ping),
      runId: ping.rid,
      /** Null if it did not end a run, or not one whose start is known. */
      duration: isEnd ? secondsOrNull(joined.run?.duration ?? null) : null,
      result: joined.run?.result ?? null,
      /** The usual duration of the runs before it. */
      usual: secondsOrNull(page.usual),
      flip: flip && { oldStatus: flip.oldStatus, newStatus: flip.newStatus },
      /** Those at the head of the body. */
      numbers: numbersJson(page),
      body: bodyJson(page, { bodyLimit, isWhole, seesAddresses }),
      /** The other signals of its run. */
      others: joined.signals.filter((one) => one.n !== ping.n).map(otherJson),
      older: page.older,
      newer: page.newer,
      lastGood: page.lastGood,
    };
    const mask = await maskFor(deps, actor, checkId);
    return new JsonText<typeof shown>(mask(JSON.stringify(shown)));
  },
});

function numbersJson({ body }: PingPage) {
  if (body === null || body === 'unavailable') return [];
  return [...readNumbers(body)].map(([name, value]) => ({ name, value }));
}

function otherJson(ping: Ping) {
  const { n, createdAt, signal, exitStatus, bodySize } = ping;
  return { n, at: toIsoMicros(createdAt), signal, exitStatus, size: bodySize, ...lateness(ping) };
}
