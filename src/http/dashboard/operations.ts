import type { AnyAct } from '../../acts/act.ts';
import { ALL_ACTS } from '../../acts/index.ts';
import { AppError } from '../../domain/errors.ts';
import { view as viewRead } from '../../reading/view-read.ts';
import { requirePermission } from '../../services/core/actor.ts';
import { requireOnAccount } from '../../services/people/account-actor.ts';
import { enterByCheck, enterProject } from '../../services/people/own-projects.ts';
import { ALL_VIEWS } from '../../views/index.ts';
import type { AskedAt, OperationDeps, PresentAt } from '../../views/operation.ts';
import { type AnyView, JsonPieces } from '../../views/view.ts';
import type { JsonObject } from '../../wire/api/body.ts';
import { readInput } from '../../wire/dashboard/input.ts';
import { parseShown, type ShownView } from '../../wire/dashboard/operation-input.ts';
import { errorReply } from '../error-map.ts';
import type { LiveStreams } from '../live/live-streams.ts';
import { checkRef, isUuid } from '../path-segments.ts';
import type { Answer } from '../replies.ts';
import type { Method, Route, SessionRequest, VisitorRequest } from '../route.ts';
import {
  checkRoute,
  dashboardRoute,
  forMembers,
  forPeople,
  forVisitors,
  onCheck,
  projectRoute,
} from './dashboard-route.ts';

interface Parts {
  readonly deps: OperationDeps;
  readonly live: Pick<LiveStreams, 'marksOf'>;
}

/** The authenticated caller and its place. */
type Entered = Partial<Pick<PresentAt['check'], 'person' | 'signedIn' | 'actor' | 'checkId'>>;

/** A path for each view and each act: the place, and the name. */
export function operationRoutes(parts: Parts): Route[] {
  const views = Array.from(ALL_VIEWS, ([name, view]) =>
    routeOf(view, `/read/${name}`, methodsOf(view), async (request, entered) => ({
      status: 200,
      pieces: await read(parts, { name, view, sent: request.body }, request, entered),
    })),
  );
  const acts = Array.from(ALL_ACTS, ([name, act]) =>
    routeOf(act, `/do/${name}`, ['POST'], (request, entered) => perform(parts, act, request, entered)),
  );
  return [...views, ...acts];
}

/** Input comes as a body. Without it a view is a GET. */
function methodsOf({ input = {} }: AnyView): Method[] {
  const fields = Object.values(input);
  return [
    ...(fields.every((field) => 'isOptional' in field) ? (['GET'] as const) : []),
    ...(fields.length > 0 ? (['POST'] as const) : []),
  ];
}

function routeOf(
  operation: AnyView | AnyAct,
  path: string,
  methods: readonly Method[],
  answer: (request: VisitorRequest, entered: Entered) => Promise<Answer>,
): Route {
  const forAll = <Operation>(one: Operation) => Object.fromEntries(methods.map((method) => [method, one]));
  const personIn = ({ signedIn }: SessionRequest) => ({ person: signedIn.actor, signedIn });
  switch (operation.place) {
    case 'visitor':
      return dashboardRoute(path, forAll(forVisitors((request) => answer(request, {}))));
    case 'person':
      return dashboardRoute(
        path,
        forAll(forPeople(operation.permission, (request) => answer(request, personIn(request)))),
      );
    case 'project':
      return projectRoute(
        path,
        forAll(
          forMembers(operation.permission, (request) =>
            answer(request, { ...personIn(request), actor: request.actor }),
          ),
        ),
      );
    case 'check':
      return checkRoute(
        path,
        forAll(
          onCheck(operation.permission, (request) =>
            answer(request, { ...personIn(request), actor: request.actor, checkId: request.check.id }),
          ),
        ),
      );
    default:
      return operation satisfies never;
  }
}

/** Reads a view, in the thread that its declaration says. */
async function read(
  { deps }: Parts,
  { name, view, sent }: { readonly name: string; readonly view: AnyView; readonly sent: JsonObject },
  request: VisitorRequest,
  entered: Entered,
): Promise<AsyncIterable<Uint8Array> | Iterable<string>> {
  const input = readInput(view.input ?? {}, sent);
  if (view.thread === 'main') {
    const present = presentOf(request, entered, () => undefined);
    const answer = await view.read(deps, { ...present, input });
    return answer instanceof JsonPieces ? answer.pieces : [JSON.stringify(answer)];
  }
  const { person, actor, checkId } = entered;
  if (person === undefined) throw new Error(`unreachable: visitors do not read ${name} in threads`);
  const prepared = await view.prepare?.(deps, { ...placedOf(entered), input });
  const asked = { person, ...(actor && { actor }), ...(checkId && { checkId }), input, prepared };
  return (await deps.reads.ask(viewRead, { name, ...asked })).pieces;
}

async function perform(
  parts: Parts,
  act: AnyAct,
  request: VisitorRequest,
  entered: Entered,
): Promise<Answer> {
  const shown = parseShown(request.body);
  const input = readInput(act.input ?? {}, request.body);
  const cookies: string[] = [];
  const present = presentOf(request, entered, (cookie) => void cookies.push(cookie));
  const answer = (await act.run(parts.deps, { ...present, input })) ?? null;
  if (shown !== null && 'stillSignedIn' in request) {
    const pieces = withShown(parts, answer, shown, request as SessionRequest, entered);
    return { status: 200, cookies, pieces };
  }
  return answer === null ? { status: 204, cookies } : { status: 200, cookies, json: answer };
}

/** An operation gets the context of its place. The route has let the caller in there. */
const placedOf = (entered: Entered) => entered as AskedAt['check'];

function presentOf(
  { client, token, log }: VisitorRequest,
  entered: Entered,
  setCookie: (value: string) => void,
): PresentAt['check'] {
  return { client, token, log, setCookie, ...entered } as PresentAt['check'];
}

/**
 * The answer of an act, followed by the views that the page shows, read after the act. So the page need not ask again.
 * The marks are from before the reads: a page that hears of a change under the same marks has it already.
 * A view that is refused is null. The page asks for it again, unless it is among those that are gone.
 */
async function* withShown(
  parts: Parts,
  answer: unknown,
  shown: readonly ShownView[],
  request: SessionRequest,
  { actor }: Entered,
): AsyncGenerator<Uint8Array | string, void> {
  const marks = actor === undefined ? null : parts.live.marksOf(actor.projectId);
  yield `{"answer":${JSON.stringify(answer)},"marks":${JSON.stringify(marks)},"shown":[`;
  const gone: number[] = [];
  for (const [index, one] of shown.entries()) {
    if (index > 0) yield ',';
    const read = await readShown(parts, one, request).catch(refusalOf);
    if (read instanceof AppError) {
      if (errorReply(read).status === 404) gone.push(index);
      yield 'null';
    } else yield* read;
  }
  yield `],"gone":${JSON.stringify(gone)}}`;
}

function refusalOf(error: unknown): AppError {
  if (error instanceof AppError) return error;
  throw error;
}

async function readShown(
  parts: Parts,
  { view: name, input: sent, ...named }: ShownView,
  request: SessionRequest,
): Promise<AsyncIterable<Uint8Array> | Iterable<string>> {
  const view = ALL_VIEWS.get(name);
  if (view === undefined) throw new AppError('not_found');
  const entered = await enter(parts.deps, view, named, request);
  return read(parts, { name, view, sent }, request, entered);
}

async function enter(
  deps: OperationDeps,
  view: AnyView,
  { project = '', check = '' }: Pick<ShownView, 'project' | 'check'>,
  request: SessionRequest,
): Promise<Entered> {
  const signedIn = await request.stillSignedIn();
  const person = signedIn.actor;
  switch (view.place) {
    case 'visitor':
      return {};
    case 'person':
      requireOnAccount(person, view.permission);
      return { person, signedIn };
    case 'project': {
      if (!isUuid(project)) throw new AppError('project_not_found');
      const actor = await enterProject(deps, person, project);
      requirePermission(actor, view.permission);
      return { person, signedIn, actor };
    }
    case 'check': {
      const found = await enterByCheck(deps, person, checkRef(check));
      requirePermission(found.actor, view.permission);
      return { person, signedIn, actor: found.actor, checkId: found.check.id };
    }
    default:
      return view satisfies never;
  }
}
