import type { Query } from '@tanstack/react-query';
import type { Acts } from '../../src/acts/index.ts';
import { MAX_SHOWN } from '../../src/wire/dashboard/limits.ts';
import { send, sendOnce } from './api.ts';
import { type AnswerOf, type Arguments, type Place, placeIn } from './operation.ts';
import { queries } from './query-client.ts';
import type { AskedView } from './read.ts';

type Perform = {
  readonly [Name in keyof Acts]: (...given: Arguments<Acts[Name]>) => Promise<AnswerOf<Acts[Name]>>;
};

export type ActAnswer<Name extends keyof Acts> = AnswerOf<Acts[Name]>;

type VisitorActs = {
  [Name in keyof Acts]: Acts[Name] extends { readonly place: 'visitor' } ? Name : never;
}[keyof Acts];

/** The answer of the server, with the page's views, read after the act. */
interface AnswerWithShown {
  readonly answer: unknown;
  /** The marks of the project before the reads. Null for acts outside of projects. */
  readonly marks: string | null;
  /** Null for views that were refused. */
  readonly shown: readonly unknown[];
  /** The indices of views that are gone, such as a deleted check's. To ask for them again would be in vain. */
  readonly gone?: readonly number[];
}

/** The marks of the project under which a query was last read with an act. */
const marksOf = new WeakMap<Query, string>();

/**
 * Calls an act of the server by its name: `act.pauseCheck({ check })`. Its declaration gives the types. The server also
 * answers with all shown views that the act may have changed, so that nothing has to be read again.
 */
export const act = new Proxy({} as Omit<Perform, VisitorActs>, {
  get:
    (_act, name) =>
    (given: object = {}) =>
      perform(String(name), given),
});

/**
 * For visitors, and for the dialogs that interrupt a page: it is not interrupted, and nothing is read with it. The
 * person may be somebody else afterwards.
 */
export const actOnce = new Proxy({} as Perform, {
  get:
    (_act, name) =>
    (given: object = {}) => {
      const { path, input } = placeIn(given);
      return sendOnce('POST', `${path}/do/${String(name)}`, input ?? {});
    },
});

/** Something that a page shows besides its queries, such as single rows of a list. */
export interface ShownPart {
  readonly asked: AskedView;
  /** Gets the view that was read after the act. Null if it was refused. */
  readonly take: (data: unknown, marks: string | null, isGone: boolean) => void;
}

/** The part of an act's input that names checks: one by either name, or several by their UUIDs. */
export interface NamedChecks {
  readonly check?: string;
  readonly checks?: readonly string[];
}

type PartsOf = (given: NamedChecks) => readonly ShownPart[];
const partsShown = new Set<PartsOf>();

/** From now on acts bring these parts as well. Returns the function that ends it. */
export function showsParts(partsOf: PartsOf): () => void {
  partsShown.add(partsOf);
  return () => partsShown.delete(partsOf);
}

async function perform(name: string, given: object): Promise<unknown> {
  const { place, path, input } = placeIn(given);
  const concerned = queries.getQueryCache().findAll({ predicate: (one) => isConcerned(one, place) });
  const settled = new Set<Query>();
  const ofQueries = concerned.flatMap((one): ShownPart[] => {
    const { asked } = one.meta ?? {};
    const take: ShownPart['take'] = (data, marks, isGone) => {
      if (data === null && !isGone) return;
      if (!isGone) one.setData(data);
      if (marks !== null) marksOf.set(one, marks);
      settled.add(one);
    };
    return asked === undefined || !one.isActive() ? [] : [{ asked, take }];
  });
  const besides = [...partsShown].flatMap((partsOf) => partsOf(given));
  const shown = [...besides, ...ofQueries].slice(0, MAX_SHOWN);
  const body = { ...input, ...(shown.length > 0 && { shown: shown.map(({ asked }) => asked) }) };
  const reply = await send<unknown>('POST', `${path}/do/${name}`, body);
  // The server answers so whenever the page names its views.
  const answered =
    shown.length === 0 ? { answer: reply, marks: null, shown: [], gone: [] } : (reply as AnswerWithShown);
  // A node of an earlier version, during an upgrade, does not tell what is gone.
  for (const [index, { take }] of shown.entries())
    take(answered.shown[index] ?? null, answered.marks, answered.gone?.includes(index) ?? false);
  refresh(concerned.filter((one) => !settled.has(one)));
  return answered.answer;
}

/** Whether an act at that place may change the result of the query. */
function isConcerned({ queryKey: [about], meta }: Query, { project, check }: Place): boolean {
  if (meta?.live === 'never') return false;
  if (project === undefined && check === undefined) return about === 'person';
  return about === 'project' || about === 'check' || meta?.live !== undefined;
}

/** Reads the shown queries again. The rest is read when somebody looks at it. */
function refresh(stale: readonly Query[]): void {
  for (const { queryKey } of stale) void queries.invalidateQueries({ queryKey, exact: true });
}

/** Whether the query was read under these marks. Then a change that comes with the same marks is in it. */
export function wasReadUnder(one: Query, marks: string): boolean {
  return marksOf.get(one) === marks;
}
