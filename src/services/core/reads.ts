import { answerInPieces, emptyAnswer, piecesOf, type Texts } from '../../lib/answer-pieces.ts';
import type { AnswerBeingMade, PiecewiseAnswer } from '../../lib/answering-threads.ts';

/**
 * A read that takes too long for the thread that answers pings, so another thread makes the answer. `Asked` is plain data,
 * because it is sent to that thread. The thread reads from the `Sources`.
 */
export interface Read<Asked, Head, Sources = never> {
  /**
   * Owners take turns, and each has a share of the queue. An owner is an account, all readers of the documentation, the
   * operator, or the program itself. A question about a project counts for the account that owns it, whether its people
   * ask, its keys, or visitors of its badges and status pages.
   */
  owner(asked: Asked): string;
  /** The head is the data of an answer besides its text. */
  answer(sources: Sources, asked: Asked): Promise<AnswerBeingMade<Head>>;
}

/** Answers in another thread. Throws `overloaded` when too many questions wait, except to the program itself. */
export interface Reads extends AsyncDisposable {
  ask<Asked, Head>(read: Read<Asked, Head>, asked: NoInfer<Asked>): Promise<PiecewiseAnswer<Head>>;
}

/** Asks for its own work, such as alerts. It asks a few questions at once, and must not wait for those who read. */
export const PROGRAM = 'program';

export const ofProgram = () => PROGRAM;
export const ofOperator = () => 'operator';
export const ofAccount = ({ ownerId }: Owned) => (ownerId === null ? PROGRAM : `account ${ownerId}`);
export const ofProject = ({ actor }: { readonly actor: Owned }) => ofAccount(actor);
export const ofPerson = ({ person }: { readonly person: { readonly accountId: number } }) =>
  ofAccount({ ownerId: person.accountId });

interface Owned {
  readonly ownerId: number | null;
}

/** A read whose answer is a value. */
export function valueRead<Asked, Head, Sources>(
  owner: (asked: NoInfer<Asked>) => string,
  read: (sources: Sources, asked: Asked) => Promise<Head>,
): Read<Asked, Head, Sources> {
  return { owner, answer: async (sources, asked) => emptyAnswer(await read(sources, asked)) };
}

/** A read whose answer is a text. */
export function textRead<Asked, Sources>(
  owner: (asked: NoInfer<Asked>) => string,
  read: (sources: Sources, asked: Asked) => Promise<Texts>,
): Read<Asked, null, Sources> {
  return {
    owner,
    answer: async (sources, asked) => answerInPieces(null, piecesOf(await read(sources, asked))),
  };
}
