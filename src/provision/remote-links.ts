import { circleOf, listed } from '../domain/check/check-links.ts';
import type { DeclaredCheck } from '../services/provisioning/declaration.ts';
import type { FileFault } from './document.ts';
import { type Told, textOf, uuidOf } from './told.ts';

/** A declared check, and what the server tells of it. */
export interface PlannedCheck {
  readonly declared: DeclaredCheck;
  /** Null: it has to be made. */
  readonly told: Told | null;
  /** `Project/slug`, for people. */
  readonly label: string;
}

export interface ParentChange {
  readonly of: PlannedCheck;
  /** Names for people. */
  readonly was: readonly string[];
  readonly became: readonly string[];
  /** UUIDs. A parent that has to be made is named by its slug, which it then has alone. */
  readonly sent: readonly string[];
  /** UUIDs of those that are there. */
  readonly there: readonly string[];
}

/** A check as it will be on the server. */
interface Known {
  readonly id: number;
  readonly uuid: string | null;
  readonly slug: string;
  readonly planned: PlannedCheck | null;
  /** UUIDs of its parents on the server. */
  readonly toldParents: readonly string[];
}

type Parents = ReadonlyMap<Known, readonly Known[]>;

/**
 * The checks whose parents differ on the server from the file, in an order in which no change closes a circle on the way. All
 * checks that they name are there by then.
 */
export function parentChanges(
  planned: readonly PlannedCheck[],
  checks: readonly Told[],
): { readonly changes: readonly ParentChange[]; readonly faults: readonly FileFault[] } {
  const known = knownChecks(planned, checks);
  const byName = Map.groupBy(
    known.flatMap((check) => [...new Set([check.uuid, check.slug])].map((name) => ({ name, check }))),
    ({ name }) => name,
  );
  const named = (name: string) => (byName.get(name) ?? []).map(({ check }) => check);
  const faults: FileFault[] = [];
  const told = new Map(known.map((one) => [one, one.toldParents.flatMap(named)]));
  const wanted = new Map(known.map((one) => [one, wantedParents(one, told.get(one) ?? [], named, faults)]));
  const changed = dependentsFirst(told).filter((one) => !isSame(told.get(one) ?? [], wanted.get(one) ?? []));
  const nameOf = ({ uuid, slug }: Known) => (slug !== '' && named(slug).length === 1 ? slug : (uuid ?? slug));
  for (const circle of circles(wanted)) {
    const line = circle.flatMap(({ planned }) => planned?.declared.line ?? [])[0] ?? 1;
    faults.push({ line, reason: `parents is a circle: ${circle.map(nameOf).join(' → ')}` });
  }
  const changes = changed.flatMap((one): ParentChange[] => {
    if (one.planned === null) return [];
    const [was, became] = [told.get(one) ?? [], wanted.get(one) ?? []];
    return [
      {
        ...{ of: one.planned, was: was.map(nameOf), became: became.map(nameOf) },
        sent: became.map(({ uuid, slug }) => uuid ?? slug),
        there: became.flatMap(({ uuid }) => uuid ?? []),
      },
    ];
  });
  return { changes, faults };
}

function knownChecks(planned: readonly PlannedCheck[], checks: readonly Told[]): Known[] {
  const declaredOf = new Map(planned.map((one) => [one.told, one]));
  const there = checks.map((told) => {
    const one = declaredOf.get(told) ?? null;
    return {
      ...{ uuid: uuidOf(told), slug: one?.declared.slug ?? textOf(told.slug), planned: one },
      toldParents: Array.isArray(told.parents) ? told.parents.map(textOf) : [],
    };
  });
  const made = planned
    .filter(({ told }) => told === null)
    .map((one) => ({ uuid: null, slug: one.declared.slug, planned: one, toldParents: [] }));
  return [...there, ...made].map((check, id) => ({ ...check, id }));
}

/** As the file says, else as they are. */
function wantedParents(
  { planned }: Known,
  told: readonly Known[],
  named: (name: string) => readonly Known[],
  faults: FileFault[],
): readonly Known[] {
  if (planned?.declared.parents === undefined) return told;
  const { line, parents } = planned.declared;
  const found = listed(parents).flatMap((name) => {
    const [check, ...others] = named(name);
    if (others.length > 0)
      faults.push({ line, reason: `the server has several checks ${name}; name the UUID of the parent` });
    else if (check === undefined) faults.push({ line, reason: `invalid parent: ${name}` });
    return check ?? [];
  });
  return [...new Set(found)];
}

/** A check that names another one as its parent comes before that. */
function dependentsFirst(parents: Parents): Known[] {
  const links = [...parents].flatMap(([child, all]) => all.map((parent) => ({ child, parent })));
  const linksTo = Map.groupBy(links, ({ parent }) => parent);
  const seen = new Set<Known>();
  const ordered: Known[] = [];
  for (const first of parents.keys()) {
    const open: { readonly check: Known; readonly links: Iterator<{ readonly child: Known }> }[] = [];
    const enter = (check: Known) => {
      if (seen.has(check)) return;
      seen.add(check);
      open.push({ check, links: (linksTo.get(check) ?? []).values() });
    };
    enter(first);
    for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
      const next = last.links.next();
      if (next.done === true) ordered.push(open.pop()?.check ?? first);
      else enter(next.value.child);
    }
  }
  return ordered;
}

/** Checks that are their own parents by way of others, from each back to itself. */
function circles(parents: Parents): (readonly Known[])[] {
  const position = new Map(dependentsFirst(parents).map((check, at) => [check, at]));
  const byId = new Map([...parents.keys()].map((check) => [check.id, check]));
  const links = [...parents].flatMap(([{ id: checkId }, all]) =>
    all.map(({ id: parentId }) => ({ checkId, parentId })),
  );
  // Of each circle, one link leads back.
  return [...parents].flatMap(([child, all]) =>
    all
      .filter((parent) => (position.get(parent) ?? 0) <= (position.get(child) ?? 0))
      .map((parent) => (circleOf(child.id, [parent.id], links) ?? []).flatMap((id) => byId.get(id) ?? [])),
  );
}

function isSame(some: readonly Known[], others: readonly Known[]): boolean {
  return some.length === others.length && some.every((one) => others.includes(one));
}
