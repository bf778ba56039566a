import { MAX_KEPT_AGE, type ProjectMarks } from '../domain/change-marks.ts';
import type { CheckOutline } from '../domain/check/check.ts';
import { isWithin } from '../domain/check/status.ts';
import type { Actor } from '../domain/people/permission.ts';
import { answerInPieces, emptyAnswer, MIN_PIECE_BYTES, type Piece } from '../lib/answer-pieces.ts';
import type { AnswerBeingMade, BegunAnswer } from '../lib/answering-threads.ts';
import { hasTag } from '../lib/etag.ts';
import type { Instant, Micros } from '../lib/instant.ts';
import { listOutlines, pagesOf, readChecks } from '../services/check/check-list.ts';
import { requirePermission } from '../services/core/actor.ts';
import type { Deps } from '../services/core/deps.ts';
import { ofProject, type Read } from '../services/core/reads.ts';
import type { CheckFilter } from '../storage/store.ts';
import { type KeptCheck, KeptChecks, type ListPiece, listPiece } from '../wire/api/kept-checks.ts';
import type { Site } from '../wire/site.ts';
import { BEGINNING, ENDING, joined, KeptList, KeptLists, withoutComma } from './kept-lists.ts';

/** Memory of one thread. */
const LIMITS = {
  /** For the JSON of checks. */
  maxCheckBytes: 32 * 1024 * 1024,
  /** For whole lists. */
  maxKeptBytes: 24 * 1024 * 1024,
  /** For lists that are being sent, also if they have changed meanwhile. */
  maxHeldBytes: 64 * 1024 * 1024,
};
/** A longer list is sent while it is made. Nothing of it but its checks is kept, and it has no tag. */
const MAX_WHOLE_BYTES = 12 * 1024 * 1024;
/** The length of a check's JSON without its description, roughly. */
const TYPICAL_CHECK_BYTES = 1_200;

interface ListQuestion {
  readonly actor: Actor;
  readonly filter: CheckFilter;
  readonly view: { readonly seesAddresses: boolean; readonly version: 1 | 2 | 3 };
  /** The `If-None-Match` header of the request. */
  readonly knownTags: string | undefined;
}

interface ListHead {
  /** Differs whenever the list does. Null for a list that is too long to be compared before it is sent. */
  readonly tag: string | null;
  /** Whether the caller has this list already. Then the text of the answer is empty. */
  readonly isKnown: boolean;
  /** The length of the text. Null if it is not known before the list is sent. */
  readonly byteLength: number | null;
}

interface ListDeps extends Pick<Deps, 'clock'> {
  readonly checkLists: CheckLists;
}

export const checkList: Read<ListQuestion, ListHead, ListDeps> = {
  owner: ofProject,
  answer: ({ checkLists, clock }, asked) =>
    checkLists.answer(asked, { now: clock.now(), monotonic: clock.monotonic() }),
};

export interface CheckListsOptions {
  readonly site: Site;
  /** No other node works on the database. Then the marks of a project tell changes at once. */
  readonly isOnlyNode: boolean;
}

/** The time of a question. */
interface Moment {
  readonly now: Instant;
  readonly monotonic: Micros;
}

/** When a list was compared with its checks. */
interface Comparison {
  /** Read before the checks. */
  readonly marks: ProjectMarks;
  readonly at: Micros;
}

interface List extends Moment {
  readonly question: ListQuestion;
  readonly outlines: readonly CheckOutline[];
  readonly marks: ProjectMarks;
}

/** Answers with lists of checks. They are put together from cached pieces, as far as these are still right. */
export class CheckLists {
  readonly #deps: Pick<Deps, 'store'>;
  readonly #checks: KeptChecks<ListPiece>;
  readonly #lists = new KeptLists(LIMITS);
  readonly #isOnlyNode: boolean;
  /** When each list was last found to be right. */
  readonly #compared = new WeakMap<KeptList, Comparison>();

  constructor(deps: Pick<Deps, 'store'>, { site, isOnlyNode }: CheckListsOptions) {
    this.#deps = deps;
    this.#isOnlyNode = isOnlyNode;
    this.#checks = new KeptChecks(site, LIMITS.maxCheckBytes, listPiece);
  }

  async answer(question: ListQuestion, moment: Moment): Promise<AnswerBeingMade<ListHead>> {
    requirePermission(question.actor, 'checks.view');
    const marks = this.#deps.store.marks.of(question.actor.projectId);
    const kept = this.#lists.get(keyOf(question));
    const known = kept && this.#isUnchanged(kept, marks, moment) ? this.#send(kept, question) : null;
    if (known !== null) return known;
    const outlines = await listOutlines(this.#deps, question.actor, question.filter);
    const list = { question, outlines, marks, ...moment };
    if (!kept?.isRight(outlines, moment.now))
      return isShort(outlines) ? this.#next(this.#make(list), list) : this.#stream(list);
    this.#compared.set(kept, { marks, at: moment.monotonic });
    return this.#send(kept, question) ?? this.#stream(list);
  }

  /**
   * Whether the list is right without a look at its checks. Writes of another process to the database of the only node
   * show within a second.
   */
  #isUnchanged(kept: KeptList, marks: ProjectMarks, { now, monotonic }: Moment): boolean {
    const compared = this.#compared.get(kept);
    return (
      this.#isOnlyNode &&
      compared?.marks.checks === marks.checks &&
      monotonic - compared.at < MAX_KEPT_AGE &&
      isWithin(kept, now)
    );
  }

  /** Makes a list in steps: other questions get a turn after each read. */
  async *#make(list: List): AsyncGenerator<undefined, KeptList> {
    const checks: KeptCheck<ListPiece>[] = [];
    for await (const page of this.#pages(list)) {
      checks.push(...page.checks);
      if (page.hasRead) yield;
    }
    return new KeptList(checks);
  }

  async #next(work: AsyncGenerator<undefined, KeptList>, list: List): Promise<AnswerBeingMade<ListHead>> {
    const { done, value } = await work.next();
    if (done !== true) return { next: () => this.#next(work, list) };
    this.#lists.set(keyOf(list.question), value);
    this.#compared.set(value, { marks: list.marks, at: list.monotonic });
    return this.#send(value, list.question) ?? this.#stream(list);
  }

  /** Null if slow clients hold too much already. */
  #send(kept: KeptList, { knownTags }: ListQuestion): BegunAnswer<ListHead> | null {
    const { tag, byteLength } = kept;
    if (hasTag(knownTags, tag)) return emptyAnswer({ tag, isKnown: true, byteLength: 0 });
    const hold = this.#lists.hold(kept);
    if (hold === null) return null;
    const [first = new Uint8Array(), ...others] = kept.pieces;
    const head = { tag, isKnown: false, byteLength };
    if (others.length > 0) return { head, first, rest: heldPieces(others, hold) };
    hold[Symbol.dispose]();
    return { head, first, rest: null };
  }

  #stream(list: List): Promise<BegunAnswer<ListHead>> {
    const head = { tag: null, isKnown: false, byteLength: null };
    return answerInPieces(head, this.#streamedPieces(list));
  }

  async *#streamedPieces(list: List): AsyncGenerator<Piece, void> {
    let parts: Uint8Array[] = [BEGINNING];
    let length = BEGINNING.length;
    let isFirst = true;
    for await (const { checks } of this.#pages(list)) {
      for (const { json } of checks) {
        const part = isFirst ? withoutComma(json) : json;
        isFirst = false;
        parts.push(part);
        length += part.length;
        if (length < MIN_PIECE_BYTES) continue;
        yield { bytes: joined(parts, Buffer.allocUnsafeSlow(length)), isLast: false };
        parts = [];
        length = 0;
      }
    }
    parts.push(ENDING);
    yield { bytes: joined(parts, Buffer.allocUnsafeSlow(length + ENDING.length)), isLast: true };
  }

  async *#pages({ question: { view, actor }, now, outlines }: List): AsyncGenerator<Page> {
    for (const page of pagesOf(outlines)) {
      const found = page.map((outline) => this.#checks.find(view, outline, now));
      const missing = page.filter((_, index) => found[index] === undefined);
      const read = missing.length === 0 ? [] : await readChecks(this.#deps, actor, missing, now);
      const made = new Map(read.map((shown) => [shown.check.id, this.#checks.make(view, shown, now)]));
      const checks = page.flatMap(({ id }, index) => found[index] ?? made.get(id) ?? []);
      yield { checks, hasRead: missing.length > 0 };
    }
  }
}

/** A part of the list, in order. */
interface Page {
  readonly checks: readonly KeptCheck<ListPiece>[];
  /** Whether any of it had to be read from the database. */
  readonly hasRead: boolean;
}

function keyOf({ actor: { projectId }, view, filter }: ListQuestion): string {
  return JSON.stringify([projectId, view.version, view.seesAddresses, filter.slug, filter.tags]);
}

function isShort(outlines: readonly CheckOutline[]): boolean {
  let bytes = 0;
  for (const { descriptionBytes } of outlines) bytes += descriptionBytes + TYPICAL_CHECK_BYTES;
  return bytes <= MAX_WHOLE_BYTES;
}

/** No generator: the return of a generator that was never begun would not end the hold. */
function heldPieces(pieces: readonly Uint8Array[], hold: Disposable): AsyncIterator<Uint8Array, void> {
  let next = 0;
  const end = (): IteratorReturnResult<void> => {
    hold[Symbol.dispose]();
    return { done: true, value: undefined };
  };
  return {
    async next() {
      const value = pieces[next++];
      return value === undefined ? end() : { done: false, value };
    },
    return: async () => end(),
  };
}
