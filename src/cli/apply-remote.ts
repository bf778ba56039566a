import { readDeclaration } from '../provision/file.ts';
import { ProvisionFileError } from '../provision/located.ts';
import { askedInDetail, planRemote, type RemoteStep } from '../provision/remote.ts';
import { uuidOf } from '../provision/told.ts';
import type { Change, Declaration, DeclaredProject } from '../services/provisioning/declaration.ts';
import { requireFew } from '../services/provisioning/prune.ts';
import { Api, REFUSED } from './api.ts';
import { CommandFailure, type CommandIo, UsageError } from './command.ts';
import { changeLines, changesText } from './differences.ts';
import { requireAnswer, withRemovals } from './question.ts';
import { serverOf } from './server.ts';

/** Exit code for a removal that nobody has agreed to. */
const WRONG_USE = 2;

/** On a server, any check that the file does not name is removed. */
const REMARKS = { removed: 'not in the file' };

export interface RemoteOptions {
  readonly path: string;
  readonly server: {
    readonly flags: Parameters<typeof serverOf>[0];
    /** The project in the file. Undefined: there is one. */
    readonly project: string | undefined;
    readonly isChecksOnly: boolean;
  };
  readonly isDryRun: boolean;
  readonly prune?: { readonly most: number | null };
  readonly isJson: boolean;
  readonly isSure: boolean;
}

/** Applies the checks of one project through the API of a server. Returns the exit code. */
export async function applyRemote(options: RemoteOptions, io: CommandIo): Promise<number> {
  const { server, isDryRun } = options;
  const api = new Api(await serverOf(server.flags, io));
  const steps = await stepsOf(api, options, io);
  const tell = (changes: readonly Change[]) => io.stdout.write(changesText(changes, options, REMARKS));
  if (!isDryRun) return await takeAll(api, steps, tell);
  tell(steps.map(({ change }) => change));
  return steps.length > 0 ? 2 : 0;
}

/** What differs on the server. Asks before checks are deleted. */
async function stepsOf(
  api: Api,
  { path, server, isDryRun, prune, isSure }: RemoteOptions,
  io: CommandIo,
): Promise<readonly RemoteStep[]> {
  const part = server.isChecksOnly ? 'checks-only' : 'checks';
  const { declaration, lines } = await readDeclaration(path, io.environment(), part);
  const project = projectNamed(declaration, server.project);
  if (prune !== undefined && project.checks.length === 0)
    throw new CommandFailure('The file declares no checks, so nothing is removed.');
  const checks = await api.checks();
  const namesChannels = project.checks.some(
    ({ channels, done }) => channels !== undefined || done !== undefined,
  );
  const channels = namesChannels ? [...(await api.channels())] : [];
  for (const uuid of askedInDetail(project, { checks, channels })) {
    const details = await api.find(`channels/${uuid}`);
    if (details !== null) channels[channels.findIndex(({ id }) => id === uuid)] = details;
  }
  const { steps, removals, faults } = planRemote(project, { checks, channels });
  if (faults.length > 0) throw new ProvisionFileError(lines, faults);
  if (prune === undefined) return steps;
  const changes = removals.map(({ change }) => change);
  allow(changes, checks.length, prune.most);
  if (!isDryRun && !isSure) await requireAnswer(io, changes, { unattended: WRONG_USE, remarks: REMARKS });
  return [...steps, ...removals];
}

/** Makes the changes one by one, and tells those that are made. */
async function takeAll(
  api: Api,
  steps: readonly RemoteStep[],
  tell: (changes: readonly Change[]) => void,
): Promise<number> {
  const done: Change[] = [];
  const unsettled: Change[] = [];
  try {
    for (const step of steps) {
      const fields = await take(api, step);
      done.push(step.change);
      if (fields.length > 0) unsettled.push({ ...step.change, fields });
    }
  } catch (error) {
    if (done.length === 0 || !(error instanceof CommandFailure)) throw error;
    tell(done);
    const { message, code } = error;
    throw new CommandFailure(
      `${message}\nThe changes before it stay. Apply the file again for the rest.`,
      code,
    );
  }
  tell(done);
  if (unsettled.length === 0) return 0;
  const lines = changeLines(unsettled).join('\n');
  throw new CommandFailure(`The server keeps other values than the file has:\n${lines}`, REFUSED);
}

function projectNamed({ projects }: Declaration, wanted: string | undefined): DeclaredProject {
  const meant = projects.filter(
    ({ name, uuid }) => wanted === undefined || wanted === name || wanted === uuid,
  );
  const [project, ...others] = meant;
  if (project === undefined)
    throw new UsageError(
      wanted === undefined ? 'the file declares no project' : `the file declares no project "${wanted}"`,
    );
  if (others.length > 0)
    throw new UsageError(
      `--project names one of these: ${meant.map(({ name, uuid }) => (wanted === undefined ? name : (uuid ?? name))).join(', ')}`,
    );
  return project;
}

/** Refuses to remove so many checks that the key may be that of another project. */
function allow(removals: readonly Change[], all: number, most: number | null): void {
  try {
    requireFew(
      removals.map((change) => ({ change, entries: 1 })),
      all,
      most,
    );
  } catch (error) {
    throw withRemovals(error, REMARKS);
  }
}

/** Makes the change. Returns the fields that the server keeps otherwise. */
async function take(api: Api, { change, uuid, body, pauses, left }: RemoteStep) {
  if (body === null) {
    await api.send('DELETE', `checks/${uuid}`);
    return [];
  }
  const answer = await api.send('POST', uuid === null ? 'checks/' : `checks/${uuid}`, body);
  if (answer === null) throw new CommandFailure(`${change.what} ${change.name} is gone meanwhile.`, REFUSED);
  if (pauses) await api.send('POST', `checks/${uuidOf(answer)}/pause`);
  return left(answer);
}
