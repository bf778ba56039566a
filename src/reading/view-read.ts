import type { AccountActor, Actor } from '../domain/people/permission.ts';
import { answerInPieces, jsonInPortions, piecesOf } from '../lib/answer-pieces.ts';
import { ofAccount, type Read } from '../services/core/reads.ts';
import { ALL_VIEWS } from '../views/index.ts';
import type { AskedAt } from '../views/operation.ts';
import { JsonText, type ViewDeps } from '../views/view.ts';

/** A view by its name, with the input of its page. */
interface AskedView {
  readonly name: string;
  readonly person: AccountActor;
  /** Absent for a view of a person. */
  readonly actor?: Actor;
  /** Absent except for a view of a check. */
  readonly checkId?: number;
  readonly input: Readonly<Record<string, unknown>>;
  /** Prepared for the view by the asking thread. */
  readonly prepared: unknown;
}

/** A question has what the place of its view needs: its route has made it so. */
type PlacedView = AskedAt['check'] & Pick<AskedView, 'input' | 'prepared'>;

export const view: Read<AskedView, null, ViewDeps> = {
  owner: ({ person, actor }) => ofAccount(actor ?? { ownerId: person.accountId }),
  async answer(deps, { name, ...asked }) {
    const found = ALL_VIEWS.get(name);
    if (found?.thread !== 'reader') throw new Error(`no view of reader threads is called ${name}`);
    const read = found.read(deps, asked as PlacedView);
    if (!('then' in read)) return jsonInPortions(read);
    const answered = await read;
    const text = answered instanceof JsonText ? answered.text : JSON.stringify(answered);
    return answerInPieces(null, piecesOf(text));
  },
};
