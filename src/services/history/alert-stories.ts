import { isToldWith, type Queued, repeatOf } from '../../domain/alert/delivery.ts';
import type { Check, CheckSummary } from '../../domain/check/check.ts';
import type { Flip } from '../../domain/check/flip.ts';
import { scheduleZone } from '../../domain/check/schedule-words.ts';
import { isWithin } from '../../domain/check/status.ts';
import {
  type AlertStory,
  type OtherCheck,
  type OtherChecks,
  storyFrom,
  type ToldChange,
  type ToldStory,
  tellChange,
} from '../../domain/history/alert-story.ts';
import type { Instant } from '../../lib/instant.ts';
import { lastLines } from '../../lib/text/output-lines.ts';
import { secretsMask } from '../../wire/secrets-mask.ts';
import { publicName } from '../alert/channel-names.ts';
import type { AlertMessage } from '../alert/deliveries.ts';
import type { Deps } from '../core/deps.ts';
import { fallBefore } from '../core/falls.ts';
import { pastQuietTimes } from '../core/quiet-spans.ts';
import { ofAccount, valueRead } from '../core/reads.ts';
import { type CheckDetails, readDetails, readHistory } from './check-board.ts';
import { answersTo, openOutagesOf } from './outage-answers.ts';
import { inSight } from './watched-runs.ts';

/** Pings from which the last 20 runs are put together: three for each, a start, a log and an end. */
const READ_PINGS = 60;
const READ_FLIPS = 60;
/** Lines of output in a message, and characters of each. */
const OUTPUT_LINES = 8;
const OUTPUT_WIDTH = 80;
/** Checks that a message names besides its own. */
const MAX_OTHERS = 10;
/** Checks whose cause it tells. */
const MAX_CAUSES = 5;

/** Bytes at the end of a body in which its last lines are. */
const TAIL = 16 * 1024;

/** Asks for the story of a message. A later attempt tells the story of an earlier one again. */
export async function askStory(
  { store, reads }: Pick<Deps, 'store' | 'reads'>,
  { delivery, channel, check, project, flip, ping }: AlertMessage,
  body: Uint8Array | null,
): Promise<ToldStory> {
  const text = delivery.attemptCount > 1 ? await store.deliveries.keptStory(delivery.id) : null;
  const kept = text === null ? null : storyFrom(text);
  const { ordinal, why, createdAt } = delivery;
  const queued = { ordinal, why, createdAt };
  return askAbout({ reads }, { channel, check, project, flip, ping, queued }, body, { kept, ownerId: null });
}

/** Asks for the story of a change that has not happened. */
export async function askImaginedStory(
  { reads }: Pick<Deps, 'reads'>,
  { flip, ...message }: Omit<Told, 'flip' | 'queued'> & { readonly flip: Omit<Flip, 'id'> },
  body: Uint8Array | null,
): Promise<ToldStory> {
  const { ownerId } = message.project;
  const change = { ...message, flip: { ...flip, id: null }, queued: null };
  return askAbout({ reads }, change, body, { kept: null, ownerId });
}

type Told = Pick<AlertMessage, 'channel' | 'check' | 'project' | 'ping'> &
  Pick<ToldChange, 'flip' | 'queued'>;

async function askAbout(
  { reads }: Pick<Deps, 'reads'>,
  { channel, check, project, flip, ping, queued }: Told,
  body: Uint8Array | null,
  { kept, ownerId }: { readonly kept: AlertStory | null; readonly ownerId: number | null },
): Promise<ToldStory> {
  const change: ToldChange = {
    check,
    projectName: project.name,
    flip,
    channelId: channel.id,
    queued,
    ping,
    body: body?.slice(-TAIL) ?? null,
    kept,
  };
  return (await reads.ask(alertStory, { change, ownerId })).head;
}

/** Reads the story of a message. The number of rows that it reads is bounded. */
export const alertStory = valueRead(
  ofAccount,
  async (
    deps: Pick<Deps, 'store' | 'vault' | 'clock'>,
    /** The owner is the account for which somebody imagines the change, and null for an alert. */
    { change }: { readonly change: ToldChange; readonly ownerId: number | null },
  ): Promise<ToldStory> => {
    const { flip, queued } = change;
    const { id } = flip;
    const fall = id === null ? null : await fallBefore(deps.store, { ...flip, id }, queued ?? { why: '' });
    return {
      story: change.kept ?? (await readChange(deps, change, fall)),
      others: await readOthers(deps, change.check, deps.clock.now()),
      answers: fall === null ? null : await deps.store.deliveries.delivered(fall.id, change.channelId),
    };
  },
);

async function readChange(
  { store, vault }: Pick<Deps, 'store' | 'vault'>,
  { check, projectName, flip: first, queued, ping, body }: ToldChange,
  fall: Flip | null,
): Promise<AlertStory> {
  const repeat = queued && repeatOf(queued);
  const isFurther = repeat?.kind === 'further_failure';
  // A further failure is told as of then, as the cause for which the check is down.
  const flip = isFurther ? { ...first, createdAt: repeat.at, reason: 'fail' as const } : first;
  const pings =
    ping === null
      ? []
      : await store.pings.inSpan(
          check.id,
          { above: ping.n - READ_PINGS - 1, below: ping.n + 1 },
          'newest',
          READ_PINGS,
        );
  const until = flip.createdAt + 1;
  const recent = await store.flips.ofCheck(
    check.id,
    { from: pings.length === READ_PINGS ? (pings[0]?.createdAt ?? null) : null, before: until },
    { after: null, limit: READ_FLIPS },
  );
  const flips = recent.filter(({ id }) => flip.id === null || id <= flip.id);
  const told = flip.id === null || queued === null ? [] : await readTold({ store, vault }, flip.id, queued);
  const mask = secretsMask(check.uuid);
  const { name, description, graceSeconds } = check;
  const quiet = (await pastQuietTimes(store, [check], flip.createdAt))(check);
  const quietTime = quiet.find((span) => isWithin(span, flip.createdAt))?.name ?? null;
  const change = await inSight(
    { store },
    { check, pings, now: flip.createdAt },
    (unwatched) =>
      tellChange({
        ...{ check, flip, fall, ping, pings, flips, unwatched, quietTime },
        outageFrom: isFurther ? first.createdAt : null,
      }),
    ({ runs }) => runs.includes('missed'),
  );
  return {
    about: { name, description, projectName, graceSeconds, tz: scheduleZone(check) },
    ...change,
    output: body === null || ping?.scheme === 'email' ? null : outputOf(body, mask),
    told,
  };
}

/** The channels that are told of the flip, or once more of it, at the same time. As people call them. */
async function readTold(
  { store, vault }: Pick<Deps, 'store' | 'vault'>,
  flipId: number,
  queued: Queued,
): Promise<string[]> {
  const names: string[] = [];
  for (const message of await store.deliveries.ofFlips([flipId])) {
    const { state, channelId, channelName } = message;
    if (state === 'skipped' || !isToldWith(message, queued)) continue;
    const channel = channelName === '' ? await store.channels.byId(channelId) : null;
    names.push(channel === null ? channelName : publicName(channel, vault));
  }
  return names;
}

function outputOf(body: Uint8Array, mask: (text: string) => string): string[] | null {
  const lines = lastLines(body, OUTPUT_LINES, OUTPUT_WIDTH).map(mask);
  return lines.length === 0 ? null : lines;
}

async function readOthers(
  { store }: Pick<Deps, 'store'>,
  { id, projectId }: Check,
  now: Instant,
): Promise<OtherChecks> {
  const { down, total, held, newest } = await store.checks.othersDown(projectId, id, now, MAX_OTHERS);
  const told = await readDown({ store }, newest.slice(0, MAX_CAUSES), now);
  const named = newest.slice(MAX_CAUSES).map((check) => otherCheck(check, null, now));
  const answers = await answersTo(store, newest, await openOutagesOf(store, newest), now);
  const checks = [...told, ...named].map((other, place) => {
    const answer = answers.get(newest[place]?.id ?? 0);
    return answer === undefined ? other : { ...other, answer: { kind: answer.kind, by: answer.by } };
  });
  return { at: now, down, total, held, checks };
}

/** Why these checks are down. One that cannot be evaluated is named without a reason. */
export async function readDown(
  deps: Pick<Deps, 'store'>,
  checks: readonly CheckSummary[],
  now: Instant,
): Promise<OtherCheck[]> {
  const told: OtherCheck[] = [];
  for (const check of checks) {
    const details = await detailsOf(deps, check, now).catch(() => null);
    told.push(otherCheck(check, details, now));
  }
  return told;
}

function otherCheck(check: CheckSummary, details: CheckDetails | null, now: Instant): OtherCheck {
  return {
    name: check.name,
    since: details?.story.since ?? check.lastFlipAt ?? now,
    lastPingAt: check.lastPingAt,
    cause: details?.story.cause ?? null,
    line: details?.line ? secretsMask(check.uuid)(details.line) : null,
  };
}

async function detailsOf(
  deps: Pick<Deps, 'store'>,
  check: CheckSummary,
  now: Instant,
): Promise<CheckDetails | null> {
  const historyOf = (one: CheckSummary) => readHistory(deps, one, now);
  const [details = null] = await readDetails(deps, [check], { historyOf, answerOf: () => null }, now);
  return details;
}
