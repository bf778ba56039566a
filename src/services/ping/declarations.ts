import type { Channel } from '../../domain/alert/channel.ts';
import { selectChannels } from '../../domain/alert/channel-selection.ts';
import type { Check } from '../../domain/check/check.ts';
import { type CheckEdit, editCheck } from '../../domain/check/check-edit.ts';
import {
  answerSeen,
  DeclarationFault,
  type DeclarationMode,
  type DeclarationNotes,
  type DeclaredCheck,
  decodeNotes,
  type JobDeclaration,
  mayChange,
  type NotedDeclaration,
  parametersOf,
  readDeclaration,
  seenDeclaration,
  withChange,
} from '../../domain/check/job-declaration.ts';
import {
  changedFields,
  decodeSources,
  fieldsOf,
  markBy,
  type SourcedField,
  withMark,
  withoutKept,
} from '../../domain/check/sources.ts';
import { AppError } from '../../domain/errors.ts';
import type { ActedBy } from '../../domain/people/audit.ts';
import type { Project } from '../../domain/people/project.ts';
import type { IncomingPing } from '../../domain/ping/incoming-ping.ts';
import { isLate } from '../../domain/ping/ping.ts';
import type { Instant } from '../../lib/instant.ts';
import type { HeldCheck, Writes } from '../../storage/store.ts';
import { changedSettings, chosenSettings, recordOnCheck } from '../check/check-acts.ts';
import { decideAnew, insertCheck } from '../check/checks.ts';
import { recoverTagged } from '../check/quiet-coverage.ts';
import { type Actor, requirePermission } from '../core/actor.ts';
import { recordInProject } from '../core/audit.ts';
import type { Deps } from '../core/deps.ts';
import { projectSubject } from '../project/projects.ts';
import { lockTeam } from '../project/team.ts';

/** How far jobs may declare the checks of the project. */
export async function readDeclarationMode(deps: Pick<Deps, 'store'>, actor: Actor): Promise<DeclarationMode> {
  requirePermission(actor, 'project.view');
  return deps.store.projects.declarationMode(actor.projectId);
}

/** Counts from the next ping on, on every node. */
export async function setDeclarationMode(
  deps: Pick<Deps, 'store' | 'clock'>,
  actor: Actor,
  mode: DeclarationMode,
): Promise<void> {
  requirePermission(actor, 'project.edit');
  await deps.store.transaction(async (tx) => {
    const project = await lockTeam(tx, actor, 'project.edit');
    await saveDeclarationMode(deps, tx, actor.by, project, mode);
  });
}

/** Saves the mode of a project that is locked, or declared by a file. Returns the mode before. */
export async function saveDeclarationMode(
  deps: Pick<Deps, 'clock'>,
  tx: Writes,
  by: ActedBy,
  project: Project,
  mode: DeclarationMode,
): Promise<DeclarationMode> {
  const before = await tx.projects.declarationMode(project.id);
  if (before === mode) return before;
  await tx.projects.setDeclarationMode(project.id, mode);
  await recordInProject(
    deps,
    tx,
    { by, projectId: project.id },
    {
      action: 'project.declarations_changed',
      subject: projectSubject(project),
      details: { before: { job_declarations: before }, after: { job_declarations: mode } },
    },
  );
  return before;
}

type DeclaringDeps = Pick<Deps, 'clock' | 'random'>;

/** A ping that declares its check. */
export type DeclaringPing = IncomingPing & { readonly declaration: JobDeclaration };

export function isDeclaring(ping: IncomingPing): ping is DeclaringPing {
  return ping.declaration !== undefined;
}

const OFF = 'off';
const SAME = 'same';
const APPLIED = 'applied';
/** Declarations that disagree do not change their check more often. */
const TOO_EARLY = 'refused; another declaration has changed the check less than a minute ago';

/** A late ping tells how its job declared the check then. */
const OUTDATED = 'refused; newer pings have come before this one';

const jobAt = (remoteAddr: string | null): ActedBy => ({
  ...{ accountId: null, name: 'job', means: 'job', remoteAddr },
});

/** The answer to a declaration that need not be read. Null if it has to be. */
export function knownAnswer(
  { declarationMode = 'off', declarationSeen = null }: HeldCheck,
  { target, declaration: { digest } }: DeclaringPing,
): string | null {
  const isOff = declarationMode === 'off' || (declarationMode === 'create' && 'uuid' in target);
  return isOff ? OFF : answerSeen(declarationMode, digest, declarationSeen);
}

/** A check that was created for a ping, and the answer to its declaration. Null if it has none. */
export interface ProvisionedCheck {
  readonly check: HeldCheck;
  readonly answer: string | null;
}

/** Creates the check for a ping, as its job declares it. A declaration with a fault leaves the defaults. */
export async function createDeclared(
  deps: DeclaringDeps,
  tx: Writes,
  project: Project,
  slug: string,
  { declaration, remoteAddr }: IncomingPing,
): Promise<ProvisionedCheck> {
  const channels = await tx.channels.ofProject(project.id);
  const mode = declaration === undefined ? 'off' : await tx.projects.declarationMode(project.id);
  if (declaration === undefined || mode === 'off') {
    const check = await addWith(deps, tx, project, { name: slug, slug }, null, channels);
    return { check: held(check), answer: declaration === undefined ? null : OFF };
  }
  const declared = withChannels(readDeclaration(declaration), channels);
  const isRefused = declared instanceof DeclarationFault;
  const edit: CheckEdit = { name: slug, slug, ...(isRefused ? {} : declared.edit) };
  const by = jobAt(remoteAddr);
  const mark = isRefused ? null : markBy(by, deps.clock.now());
  const fields: SourcedField[] = isRefused ? [] : fieldsOf(declared.edit);
  const sources = withMark(null, fields, mark);
  const check = await addWith(deps, tx, project, edit, sources, isRefused ? channels : declared.chosen);
  const change = noted(declaration, remoteAddr, check.createdAt);
  const answer = isRefused ? refusal(declared) : SAME;
  const seen = declaration.isUnapplied ? null : seenDeclaration(mode, declaration.digest, answer);
  if (seen !== null) await tx.checks.noteDeclaration(check, seen);
  await tx.checkNotes.saveDeclaration(
    check,
    JSON.stringify(
      isRefused
        ? { ...decodeNotes(null), refused: { ...at(change), reason: declared.reason } }
        : withChange(decodeNotes(null), change),
    ),
  );
  if (!isRefused) {
    const details = { after: chosenSettings({ check, channelUuids: [] }) };
    await recordOnCheck(deps, tx, { by, projectId: project.id }, check, { action: 'check.created', details });
  }
  return { check: held(check, mode, seen), answer: isRefused ? answer : APPLIED };
}

async function addWith(
  deps: DeclaringDeps,
  tx: Writes,
  project: Project,
  edit: CheckEdit,
  sources: string | null,
  channels: readonly Channel[],
): Promise<Check> {
  const check = await insertCheck(deps, tx, project.id, edit, { sources });
  await tx.checks.setChannels(
    check,
    channels.map(({ id }) => id),
  );
  return check;
}

function held(check: Check, mode?: DeclarationMode, seen: string | null = null): HeldCheck {
  const bare = { ...check, alarmAt: check.deadlineAt };
  return mode === undefined ? bare : { ...bare, declarationMode: mode, declarationSeen: seen };
}

/** The declared check with the channels that it names. */
function withChannels(
  declared: DeclaredCheck | DeclarationFault,
  channels: readonly Channel[],
): (DeclaredCheck & { readonly chosen: readonly Channel[] }) | DeclarationFault {
  if (declared instanceof DeclarationFault) return declared;
  try {
    return { ...declared, chosen: selectChannels(declared.channels ?? '*', channels) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return new DeclarationFault('channels', error.message);
  }
}

/** Reads the declaration and changes the check as far as it may. Returns the answer. The ping itself is written. */
export async function applyDeclaration(
  deps: DeclaringDeps,
  tx: Writes,
  mode: DeclarationMode,
  checkId: number,
  ping: DeclaringPing,
  now: Instant,
): Promise<string> {
  const { declaration } = ping;
  const check = await tx.checks.lock(checkId);
  if (check === null) return OFF;
  const declared = readDeclaration(declaration);
  const answer =
    mode === 'create' ? answerOnly(check, declared) : await follow(deps, tx, check, declared, ping, now);
  // Another try may come later.
  if (answer === TOO_EARLY || answer === OUTDATED || declaration.isUnapplied) return answer;
  const repeated = answer === APPLIED ? SAME : answer;
  await tx.checks.noteDeclaration(check, seenDeclaration(mode, declaration.digest, repeated));
  return answer;
}

/** A check that exists is not changed. Tells what differs. */
function answerOnly(check: Check, declared: DeclaredCheck | DeclarationFault): string {
  if (declared instanceof DeclarationFault) return refusal(declared);
  const differing = changedFields(check, editCheck(check, declared.edit));
  return differing.length === 0 ? SAME : `kept; ${parametersOf(differing, declared)}`;
}

async function follow(
  deps: DeclaringDeps,
  tx: Writes,
  check: Check,
  declared: DeclaredCheck | DeclarationFault,
  { declaration, remoteAddr, age }: DeclaringPing,
  now: Instant,
): Promise<string> {
  // Perhaps it was not applied because the notes cannot be read.
  const stored = declaration.isUnapplied ? null : (await tx.checkNotes.of(check.id)).declaration;
  const notes = decodeNotes(stored);
  if (isLate(age) && isOutdated(check, notes, now - age)) return OUTDATED;
  const change = noted(declaration, remoteAddr, now);
  const save = (next: typeof notes) => tx.checkNotes.saveDeclaration(check, JSON.stringify(next));
  if (declared instanceof DeclarationFault) {
    await save({ ...notes, refused: { ...at(change), reason: declared.reason } });
    return refusal(declared);
  }
  const by = jobAt(remoteAddr);
  const { edit, kept } = withoutKept(check, declared.edit, { by: 'job' });
  const changed = editCheck(check, edit, now);
  const isChanged = changedFields(check, changed).length > 0;
  if (isChanged && !mayChange(notes, now)) return TOO_EARLY;
  await save(isChanged ? withChange(notes, change) : { ...notes, last: change, refused: null });
  const sources = decodeSources(check.sources);
  const unmarked = fieldsOf(edit).filter((field) => sources[field]?.by !== 'job');
  const named = isChanged ? fieldsOf(edit) : unmarked;
  if (named.length > 0) {
    const edited = { ...changed, sources: withMark(check.sources, named, markBy(by, now)) };
    await tx.checks.saveConfig(edited);
    const after = await recoverTagged(deps, tx, check, edited);
    await decideAnew(deps, tx, check, after);
    const channelUuids: string[] = [];
    const details = changedSettings({ check, channelUuids }, { check: after, channelUuids });
    const act = { action: 'check.updated', details } as const;
    await recordOnCheck(deps, tx, { by, projectId: check.projectId }, after, act);
  }
  if (kept.length > 0) return `kept; ${parametersOf(kept, declared)}`;
  return isChanged ? APPLIED : SAME;
}

/** Whether something newer is known than what happened `at`: a result or a start of the job, or another declaration. */
function isOutdated({ lastPingAt, lastStartAt }: Check, { last }: DeclarationNotes, at: Instant): boolean {
  return [lastPingAt, lastStartAt, last?.at ?? null].some((known) => known !== null && known > at);
}

export function refusal({ reason }: DeclarationFault): string {
  return `refused; ${reason}`;
}

function noted({ given }: JobDeclaration, from: string | null, now: Instant): NotedDeclaration {
  return { at: now, from, given: given ?? '' };
}

const at = ({ at: when, from }: NotedDeclaration) => ({ at: when, from });
