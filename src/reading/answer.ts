import type { AnswerBeingMade } from '../lib/answering-threads.ts';
import type { Instant } from '../lib/instant.ts';
import { listBadges, tagBadge } from '../services/badges.ts';
import { listChecks, listSummaries } from '../services/check-list.ts';
import type { Deps } from '../services/deps.ts';
import type { ReadQuestion } from '../services/reads.ts';
import { badgeListText } from '../wire/api/badges-output.ts';
import { checkListText } from '../wire/api/check-output.ts';
import { prometheusText } from '../wire/metrics/prometheus.ts';
import type { Site } from '../wire/site.ts';

/** A question with the time of the node that asks: its clock follows the database, the thread's does not. */
export interface TimedQuestion {
  readonly question: ReadQuestion;
  readonly now: Instant;
}

export interface ReadingDeps extends Pick<Deps, 'store' | 'vault'> {
  readonly site: Site;
}

/** Pieces are sent one by one. Other answers get a turn between two pieces. */
const MIN_PIECE_BYTES = 64 * 1024;

/** Makes the answer. Its bytes are the same in every thread. */
export async function answer(
  { store, vault, site }: ReadingDeps,
  { question, now }: TimedQuestion,
): Promise<AnswerBeingMade<unknown>> {
  const deps = { store, vault, clock: { now: () => now } };
  switch (question.kind) {
    case 'check_list': {
      const pages = listChecks(deps, question.actor, question.filter);
      return inPieces(checkListText(pages, { ...question.view, now, site }));
    }
    case 'badge_list':
      return inPieces(badgeListText(listBadges(deps, question.actor), site));
    case 'tag_badge':
      return { head: await tagBadge(deps, question.tag), first: new Uint8Array(), rest: null };
    case 'project_metrics':
      return inPieces(prometheusText(await listSummaries(deps, question.actor), now));
    default:
      return question satisfies never;
  }
}

async function inPieces(texts: AsyncIterable<string> | Iterable<string>): Promise<AnswerBeingMade<null>> {
  const pieces = piecesOf(texts);
  const first = await pieces.next();
  if (first.done === true) return { head: null, first: new Uint8Array(), rest: null };
  const { bytes, isLast } = first.value;
  return { head: null, first: bytes, rest: isLast ? null : bytesOf(pieces) };
}

interface Piece {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly isLast: boolean;
}

/** Joins short texts to pieces. The last piece is marked, so that a short answer takes only one message. */
async function* piecesOf(texts: AsyncIterable<string> | Iterable<string>): AsyncGenerator<Piece, void> {
  const encoder = new TextEncoder();
  let text = '';
  for await (const more of texts) {
    text += more;
    if (text.length < MIN_PIECE_BYTES) continue;
    yield { bytes: encoder.encode(text), isLast: false };
    text = '';
  }
  yield { bytes: encoder.encode(text), isLast: true };
}

async function* bytesOf(pieces: AsyncGenerator<Piece, void>): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  for await (const { bytes } of pieces) yield bytes;
}
