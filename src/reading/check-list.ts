import type { CheckOutline } from '../domain/check.ts';
import type { AnswerBeingMade, BegunAnswer } from '../lib/answering-threads.ts';
import { etagOf, hasTag } from '../lib/etag.ts';
import type { Instant } from '../lib/instant.ts';
import { listOutlines, pagesOf, readChecks } from '../services/check-list.ts';
import type { Deps } from '../services/deps.ts';
import type { ListHead, QuestionOf } from '../services/reads.ts';
import type { KeptCheck, KeptChecks } from '../wire/api/kept-checks.ts';
import { answerInPieces, emptyAnswer, MIN_PIECE_BYTES, type Piece } from './pieces.ts';

/**
 * A longer list has no tag. To know the tag, all of the list must be made before it is sent, so all of it has to find room
 * among the kept checks.
 */
export const MAX_TAGGED_BYTES = 12 * 1024 * 1024;
/** The length of a check's JSON without its description, roughly. */
const TYPICAL_CHECK_BYTES = 1_200;

const BEGINNING = Buffer.from('{"checks":[');
const ENDING = Buffer.from(']}');

interface List {
  readonly deps: Pick<Deps, 'store'> & { readonly keptChecks: KeptChecks };
  readonly question: QuestionOf<'check_list'>;
  readonly now: Instant;
  readonly outlines: readonly CheckOutline[];
}

/** The text of `{"checks": […]}`, put together from the JSON of checks that was made before. */
export async function checkList(
  deps: List['deps'],
  question: QuestionOf<'check_list'>,
  now: Instant,
): Promise<AnswerBeingMade<ListHead>> {
  const outlines = await listOutlines(deps, question.actor, question.filter);
  const list = { deps, question, now, outlines };
  return isTagged(outlines)
    ? stepsOf(begin(list))
    : answerInPieces({ tag: null, isKnown: false }, listPieces(list));
}

function isTagged(outlines: readonly CheckOutline[]): boolean {
  let bytes = 0;
  for (const { descriptionBytes } of outlines) bytes += descriptionBytes + TYPICAL_CHECK_BYTES;
  return bytes <= MAX_TAGGED_BYTES;
}

/** Makes what is missing, in steps. Then the tag is known, and with it whether anything has to be sent. */
async function* begin(list: List): AsyncGenerator<undefined, BegunAnswer<ListHead>> {
  const marks: number[] = [];
  for await (const { kept, hasRead } of pagesIn(list)) {
    for (const { id, revision, checksum } of kept) marks.push(id, revision, checksum);
    if (hasRead) yield;
  }
  const tag = `W/${etagOf(new Uint8Array(Float64Array.from(marks).buffer))}`;
  const isKnown = hasTag(list.question.knownTags, tag);
  const head = { tag, isKnown };
  return isKnown ? emptyAnswer(head) : answerInPieces(head, listPieces(list));
}

async function stepsOf(
  work: AsyncGenerator<undefined, BegunAnswer<ListHead>>,
): Promise<AnswerBeingMade<ListHead>> {
  const { done, value } = await work.next();
  return done === true ? value : { goOn: () => stepsOf(work) };
}

async function* listPieces(list: List): AsyncGenerator<Piece, void> {
  let parts: Uint8Array[] = [BEGINNING];
  let length = BEGINNING.length;
  let isFirst = true;
  for await (const { kept } of pagesIn(list)) {
    for (const { bytes } of kept) {
      // Each one begins with the comma that divides it from the one before.
      const part = isFirst ? bytes.subarray(1) : bytes;
      isFirst = false;
      parts.push(part);
      length += part.length;
      if (length < MIN_PIECE_BYTES) continue;
      yield { bytes: joined(parts, length), isLast: false };
      parts = [];
      length = 0;
    }
  }
  parts.push(ENDING);
  yield { bytes: joined(parts, length + ENDING.length), isLast: true };
}

/** In memory of its own, which is moved to the thread that asks. */
function joined(parts: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const whole = Buffer.allocUnsafeSlow(length);
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

/** A part of the list, in order. */
interface Page {
  readonly kept: readonly KeptCheck[];
  /** Whether any of it had to be read from the database. */
  readonly hasRead: boolean;
}

async function* pagesIn({ deps, question, now, outlines }: List): AsyncGenerator<Page> {
  const { view, actor } = question;
  for (const page of pagesOf(outlines)) {
    const found = page.map((outline) => deps.keptChecks.find(view, outline, now));
    const missing = page.filter((_, index) => found[index] === undefined);
    const read = missing.length === 0 ? [] : await readChecks(deps, actor, missing);
    const made = new Map(read.map((shown) => [shown.check.id, deps.keptChecks.make(view, shown, now)]));
    const kept = page.flatMap(({ id }, index) => found[index] ?? made.get(id) ?? []);
    yield { kept, hasRead: missing.length > 0 };
  }
}
