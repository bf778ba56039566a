import type { CheckRef } from '../domain/check/check.ts';
import { type Actor, isAllowed } from '../domain/people/permission.ts';
import type { SessionLimits } from '../domain/people/session.ts';
import { type KeptText, seeChecks } from '../domain/public/kept-text.ts';
import { answerInPieces, piecesOf } from '../lib/answer-pieces.ts';
import { listChannels } from '../services/alert/channels.ts';
import { listDeliveries } from '../services/alert/deliveries.ts';
import { listSummaries } from '../services/check/check-list.ts';
import { findCheck } from '../services/check/checks.ts';
import type { Deps } from '../services/core/deps.ts';
import { listFlips } from '../services/core/flips.ts';
import { ofPerson, ofProject, type Read, textRead } from '../services/core/reads.ts';
import { listCheckRuns } from '../services/history/run-list.ts';
import { askWhy } from '../services/history/why.ts';
import type { AccountActor } from '../services/people/account-actor.ts';
import { exportAccount } from '../services/people/export.ts';
import { listPings } from '../services/ping/pings.ts';
import { listBadges } from '../services/public/badges.ts';
import { badgeListText } from '../wire/api/badges-output.ts';
import { channelJson, channelRefJson } from '../wire/api/channel-output.ts';
import { deliveryJson } from '../wire/api/delivery-output.ts';
import { flipListText, parseFlipSpan } from '../wire/api/flips.ts';
import { pingJson } from '../wire/api/ping-output.ts';
import { parseRunQuestion, runCursorText, runJson } from '../wire/api/runs.ts';
import { parseSupposition } from '../wire/api/why-input.ts';
import { whyJson } from '../wire/api/why-output.ts';
import { exportPieces } from '../wire/dashboard/account-export.ts';
import { prometheusText } from '../wire/metrics/prometheus.ts';
import type { Site } from '../wire/site.ts';

type ListDeps = Pick<Deps, 'store' | 'vault' | 'clock' | 'defaultLimits'> & { readonly site: Site };

interface OfCheck {
  readonly actor: Actor;
  readonly check: CheckRef;
}

export const pingList = textRead(
  ofProject,
  /** The version is in the addresses of bodies. */
  async (deps: ListDeps, { actor, check: ref, version }: OfCheck & { readonly version: 1 | 2 | 3 }) => {
    const check = await findCheck(deps, actor, ref);
    const found = await listPings(deps, actor, check);
    const checkUrl = `${deps.site.root}/api/v${version}/checks/${check.uuid}`;
    return JSON.stringify({ pings: found.map((one) => pingJson(one, checkUrl)) });
  },
);

interface AskedByQuery extends OfCheck {
  /** The query as sent. It is examined when the check is found: a missing check is reported before a wrong span. */
  readonly query: string;
}

interface AskedFlips extends AskedByQuery {
  readonly form: 'array' | 'object';
}

export const flipList = textRead(
  ofProject,
  async (deps: ListDeps, { actor, check: ref, query, form }: AskedFlips) => {
    const check = await findCheck(deps, actor, ref);
    const span = parseFlipSpan(new URLSearchParams(query), deps.clock.now());
    return flipListText(listFlips(deps, actor, check, span), form);
  },
);

export const runList = textRead(
  ofProject,
  /** The version is in the addresses of bodies. */
  async (
    deps: ListDeps,
    { actor, check: ref, query, version }: AskedByQuery & { readonly version: 1 | 2 | 3 },
  ) => {
    const check = await findCheck(deps, actor, ref);
    const question = parseRunQuestion(new URLSearchParams(query), deps.clock.now());
    const { runs, next } = await listCheckRuns(deps, actor, check, question);
    const viewer = {
      checkUrl: 'uuid' in ref ? `${deps.site.root}/api/v${version}/checks/${check.uuid}` : null,
      seesBodies: isAllowed(actor.caller, 'pings.view'),
    };
    return JSON.stringify({
      runs: runs.map((run) => runJson(run, viewer)),
      next: next && runCursorText(next),
    });
  },
);

export const whyAnswer = textRead(
  ofProject,
  async (deps: ListDeps, { actor, check: ref, query }: AskedByQuery) => {
    const check = await findCheck(deps, actor, ref);
    const now = deps.clock.now();
    const supposition = parseSupposition(new URLSearchParams(query), now);
    return JSON.stringify(whyJson(await askWhy(deps, actor, check, supposition), now));
  },
);

export const deliveryList = textRead(
  ofProject,
  async (deps: ListDeps, { actor, check: ref, version }: OfCheck & { readonly version: 1 | 2 | 3 }) => {
    const check = await findCheck(deps, actor, ref);
    const found = await listDeliveries(deps, actor, check);
    return JSON.stringify({ deliveries: found.map((one) => deliveryJson(one, version)) });
  },
);

export const channelList = textRead(
  ofProject,
  /** A detailed list tells how each channel is, and not only which there are. */
  async (deps: ListDeps, { actor, isDetailed }: { readonly actor: Actor; readonly isDetailed: boolean }) => {
    const channels = await listChannels(deps, actor);
    return JSON.stringify({ channels: channels.map(isDetailed ? channelJson : channelRefJson) });
  },
);

export const badgeList = textRead(ofProject, async (deps: ListDeps, { actor }: { readonly actor: Actor }) =>
  badgeListText(listBadges(deps, actor), deps.site),
);

export const projectMetrics: Read<{ readonly actor: Actor }, KeptText, ListDeps> = {
  owner: ofProject,
  async answer(deps, { actor }) {
    // The marks come first: a change after this is either told or makes the marks differ.
    const marks = deps.store.marks.of(actor.projectId);
    const { seen, span } = seeChecks(await listSummaries(deps, actor), deps.clock.now());
    return answerInPieces({ marks, span }, piecesOf(prometheusText(seen)));
  },
};

interface AskedExport {
  readonly person: AccountActor;
  readonly sessionLimits: SessionLimits;
}

/** Everything that is known of the person. */
export const accountExport = textRead(ofPerson, async (deps: ListDeps, asked: AskedExport) => {
  const settings = { sessions: asked.sessionLimits };
  return exportPieces(await exportAccount({ ...deps, settings }, asked.person));
});
