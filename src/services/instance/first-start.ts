import { PLACEHOLDER_EMAIL } from '../../domain/people/account.ts';
import { generateApiKey, generatePingKey } from '../../domain/people/api-key.ts';
import type { Project } from '../../domain/people/project.ts';
import type { Writes } from '../../storage/store.ts';
import type { Deps } from '../core/deps.ts';
import { addApiKey, createProject, setPingKey } from '../project/projects.ts';

export interface FirstProject {
  readonly name: string;
  readonly uuid: string;
  /** They can be read only at this moment. Null if none were made. */
  readonly keys: FirstKeys | null;
}

export interface FirstKeys {
  readonly readWrite: string;
  readonly readOnly: string;
  readonly ping: string;
}

const PROJECT_NAME = 'My project';
const KEY_NAME = 'first start';

/**
 * Creates the first project of a new installation, and keys if there is somebody to whom they can be shown. Returns null when
 * there already is a project.
 */
export async function makeFirstProject(deps: Deps, hasReader: boolean): Promise<FirstProject | null> {
  if ((await deps.store.projects.count(1)) > 0) return null;
  return deps.store.transaction(async (tx) => {
    // When several nodes start on an empty database, the one that sets the mark creates the project.
    const mark = deps.random.uuid();
    if ((await tx.instance.setOnce('first_start', mark)) !== mark) return null;
    const owner = await tx.accounts.insert({
      uuid: deps.random.uuid(),
      email: PLACEHOLDER_EMAIL,
      passwordHash: null,
      limits: deps.defaultLimits,
      createdAt: deps.clock.now(),
    });
    const project = await createProject(deps, tx, owner, PROJECT_NAME);
    const keys = hasReader ? await makeKeys(deps, tx, project) : null;
    return { name: project.name, uuid: project.uuid, keys };
  });
}

async function makeKeys(deps: Deps, tx: Writes, project: Project): Promise<FirstKeys> {
  const readWrite = generateApiKey('read_write', deps.random.bytes);
  const readOnly = generateApiKey('read_only', deps.random.bytes);
  const ping = generatePingKey(deps.random.bytes);
  await addApiKey(deps, tx, project, { kind: 'read_write', name: KEY_NAME, key: readWrite });
  await addApiKey(deps, tx, project, { kind: 'read_only', name: KEY_NAME, key: readOnly });
  await setPingKey(deps, tx, project, ping);
  return { readWrite, readOnly, ping };
}
